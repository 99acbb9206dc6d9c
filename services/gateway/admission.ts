/**
 * The in-flight limit of reads. A further read waits in a bounded queue, for a bounded time; beyond that it is refused
 * with `overloaded`. A caller has at most three quarters of the slots and of the queue, so one key leaves room for
 * others. Reads that wait get slots in the order of their arrival. A caller who disconnects leaves the queue at once. A
 * read that has begun keeps its slot until it ends, since its files and memory are in use until then.
 */
import { LoomlogError } from '@loomlog/errors'
import type { GatewayLimits } from './limits.ts'

type AdmissionLimits = Pick<GatewayLimits, 'reads' | 'queuedReads' | 'queueMs' | 'readMs'>

export interface ReadingCaller {
  /** Reads of one name share one caller's part of the slots. */
  readonly name: string
  /** Aborts when the caller leaves. */
  readonly departure: AbortSignal
}

interface WaitingRead {
  readonly name: string
  admit(): void
}

/** The part of the slots, and of the queue, that one caller may hold. */
const callerPart = 0.75

export class Admission {
  readonly #limits: AdmissionLimits
  readonly #queue = new Set<WaitingRead>()
  /** Reads that run, by caller. */
  readonly #reading = new Map<string, number>()

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  /**
   * Runs `work` in a slot. Its signal aborts when the caller leaves, or when the work takes too long.
   * @throws LoomlogError `overloaded`; the caller's reason
   */
  async run<T>({ name, departure: caller }: ReadingCaller, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    caller.throwIfAborted()
    if (this.#hasSlot(name)) this.#takeSlot(name)
    else await this.#waitForSlot(name, caller)
    const { readMs } = this.#limits
    const over = new AbortController()
    const timer = setTimeout(() => over.abort(overloaded(`the read takes more than ${readMs} ms`)), readMs)
    const leave = () => over.abort(caller.reason)
    caller.addEventListener('abort', leave, { once: true })
    if (caller.aborted) leave()
    const working = (async () => work(over.signal))().finally(() => this.#releaseSlot(name))
    return await untilAborted(working, over.signal).finally(() => {
      clearTimeout(timer)
      caller.removeEventListener('abort', leave)
    })
  }

  #waitForSlot(name: string, caller: AbortSignal): Promise<void> {
    const { reads, queuedReads, queueMs } = this.#limits
    if (this.#queue.size >= queuedReads) throw overloaded(`${reads} reads run, and ${queuedReads} are queued`)
    const own = [...this.#queue].filter((read) => read.name === name).length
    if (own >= partOf(queuedReads)) throw overloaded(`${own} reads of this caller are queued`)
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
        reject(overloaded(`none of the ${reads} read slots became free within ${queueMs} ms`))
      }, queueMs)
      caller.addEventListener('abort', leave, { once: true })
      this.#queue.add(read)
    })
  }

  #hasSlot(name: string): boolean {
    const all = [...this.#reading.values()].reduce((sum, count) => sum + count, 0)
    return all < this.#limits.reads && (this.#reading.get(name) ?? 0) < partOf(this.#limits.reads)
  }

  #takeSlot(name: string): void {
    this.#reading.set(name, (this.#reading.get(name) ?? 0) + 1)
  }

  /** Gives the slot to the first queued read whose caller may have it. */
  #releaseSlot(name: string): void {
    const left = (this.#reading.get(name) ?? 1) - 1
    if (left === 0) this.#reading.delete(name)
    else this.#reading.set(name, left)
    for (const read of this.#queue) {
      if (!this.#hasSlot(read.name)) continue
      this.#takeSlot(read.name)
      read.admit()
      return
    }
  }
}

function partOf(slots: number): number {
  return Math.max(1, Math.floor(slots * callerPart))
}

/** The result of the work. If the signal aborts first, throws its reason; the work may continue after that. */
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
