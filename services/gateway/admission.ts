/**
 * Admits a bounded number of readers at once, in the order in which they came. A further one waits, for a bounded time and in a bounded
 * queue; beyond that it is refused with `overloaded`. A caller who leaves gives up the place in the queue at once. Work that has begun
 * keeps its place until it has stopped, since its files and memory are in use until then.
 */
import { LoomlogError } from '@loomlog/errors'
import type { GatewayLimits } from './limits.ts'

type AdmissionLimits = Pick<GatewayLimits, 'reads' | 'queuedReads' | 'queueMs' | 'readMs'>

export class Admission {
  readonly #limits: AdmissionLimits
  readonly #queue = new Set<() => void>()
  #reading = 0

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
  }

  /**
   * Runs `work` once there is a place. Its signal aborts when the caller leaves, or when the work takes too long.
   * @param caller aborts when the caller leaves
   * @throws LoomlogError `overloaded`; the caller's reason
   */
  async run<T>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    caller.throwIfAborted()
    if (this.#reading < this.#limits.reads) this.#reading += 1
    else await this.#place(caller)
    const { readMs } = this.#limits
    const over = new AbortController()
    const timer = setTimeout(() => over.abort(overloaded(`the reading takes more than ${readMs} ms`)), readMs)
    const leave = () => over.abort(caller.reason)
    caller.addEventListener('abort', leave, { once: true })
    if (caller.aborted) leave()
    const working = (async () => work(over.signal))().finally(() => this.#leave())
    return await untilAborted(working, over.signal).finally(() => {
      clearTimeout(timer)
      caller.removeEventListener('abort', leave)
    })
  }

  #place(caller: AbortSignal): Promise<void> {
    const { reads, queuedReads, queueMs } = this.#limits
    if (this.#queue.size >= queuedReads) {
      throw overloaded(`${reads} requests are being read, and ${queuedReads} wait`)
    }
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        caller.removeEventListener('abort', leave)
        this.#queue.delete(admit)
      }
      const admit = () => {
        end()
        resolve()
      }
      const leave = () => {
        end()
        reject(caller.reason)
      }
      const timer = setTimeout(() => {
        end()
        reject(overloaded(`there is no place among ${reads} readers within ${queueMs} ms`))
      }, queueMs)
      caller.addEventListener('abort', leave, { once: true })
      this.#queue.add(admit)
    })
  }

  /** Hands the place on. */
  #leave(): void {
    const [admit] = this.#queue
    if (admit) admit()
    else this.#reading -= 1
  }
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
