/**
 * Admits a bounded number of reads at once, in the order in which they came. A further one waits, for a bounded time and in a bounded
 * queue; beyond that it is refused with `overloaded`. A caller holds at most three quarters of the places and of the queue, so the reads of one
 * key leave room for those of others. A caller who leaves gives up the place in the queue at once. Work that has begun keeps its place until it has
 * stopped, since its files and memory are in use until then.
 */
import { LoomlogError } from '@loomlog/errors'
import type { GatewayLimits } from './limits.ts'

type AdmissionLimits = Pick<GatewayLimits, 'reads' | 'queuedReads' | 'queueMs' | 'readMs'>

export interface ReadingCaller {
  /** Names the caller: reads of one name share its part of the places. */
  readonly name: string
  /** Aborts when the caller leaves. */
  readonly departure: AbortSignal
}

interface WaitingRead {
  readonly name: string
  admit(): void
}

/** The part of the places, and of the queue, that one caller may hold. */
const mostOfOne = 0.75

export class Admission {
  readonly #limits: AdmissionLimits
  readonly #queue = new Set<WaitingRead>()
  /** Reads that run, by caller. */
  readonly #reading = new Map<string, number>()

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  /**
   * Runs `work` once there is a place. Its signal aborts when the caller leaves, or when the work takes too long.
   * @throws LoomlogError `overloaded`; the caller's reason
   */
  async run<T>({ name, departure: caller }: ReadingCaller, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    caller.throwIfAborted()
    if (this.#hasPlace(name)) this.#take(name)
    else await this.#place(name, caller)
    const { readMs } = this.#limits
    const over = new AbortController()
    const timer = setTimeout(() => over.abort(overloaded(`the reading takes more than ${readMs} ms`)), readMs)
    const leave = () => over.abort(caller.reason)
    caller.addEventListener('abort', leave, { once: true })
    if (caller.aborted) leave()
    const working = (async () => work(over.signal))().finally(() => this.#leave(name))
    return await untilAborted(working, over.signal).finally(() => {
      clearTimeout(timer)
      caller.removeEventListener('abort', leave)
    })
  }

  #place(name: string, caller: AbortSignal): Promise<void> {
    const { reads, queuedReads, queueMs } = this.#limits
    if (this.#queue.size >= queuedReads) throw overloaded(`${reads} reads run, and ${queuedReads} wait`)
    const own = [...this.#queue].filter((read) => read.name === name).length
    if (own >= partOf(queuedReads)) throw overloaded(`${own} reads of this caller wait`)
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        caller.removeEventListener('abort', leave)
        this.#queue.delete(read)
      }
      const admit = () => {
        end()
        resolve()
      }
      const read = { name, admit }
      const leave = () => {
        end()
        reject(caller.reason)
      }
      const timer = setTimeout(() => {
        end()
        reject(overloaded(`there is no place among ${reads} reads within ${queueMs} ms`))
      }, queueMs)
      caller.addEventListener('abort', leave, { once: true })
      this.#queue.add(read)
    })
  }

  #hasPlace(name: string): boolean {
    const all = [...this.#reading.values()].reduce((sum, count) => sum + count, 0)
    return all < this.#limits.reads && (this.#reading.get(name) ?? 0) < partOf(this.#limits.reads)
  }

  #take(name: string): void {
    this.#reading.set(name, (this.#reading.get(name) ?? 0) + 1)
  }

  /** Hands the place to the first that may have it. */
  #leave(name: string): void {
    const left = (this.#reading.get(name) ?? 1) - 1
    if (left === 0) this.#reading.delete(name)
    else this.#reading.set(name, left)
    for (const read of this.#queue) {
      if (!this.#hasPlace(read.name)) continue
      this.#take(read.name)
      read.admit()
      return
    }
  }
}

function partOf(places: number): number {
  return Math.max(1, Math.floor(places * mostOfOne))
}

/** The result, or the signal's reason if it aborts first; the work may continue after that. */
export async function untilAborted<T>(working: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
  })
  working.catch(() => {})
  return await Promise.race([working, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

function overloaded(reason: string): LoomlogError {
  return new LoomlogError('overloaded', `${reason}: ask again later`)
}
