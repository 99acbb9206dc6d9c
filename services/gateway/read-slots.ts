/**
 * The in-flight limit of reads. A further read waits in a bounded queue, for a bounded time; beyond that it is refused
 * with `overloaded`. Slots and queue are shared fairly among callers. Reads that wait get slots in the order of their
 * arrival. A caller who disconnects leaves the queue at once. A read that has begun keeps its slot until it ends, since
 * its files and memory are in use until then.
 */
import { LoomlogError } from '@loomlog/errors'
import { withDeadline } from './deadline.ts'
import { FairShare } from './fair-share.ts'
import type { GatewayLimits } from './limits.ts'

type ReadLimits = Pick<GatewayLimits, 'reads' | 'queuedReads' | 'queueMs' | 'readMs'>

export interface ReadingCaller {
  /** Reads of one name share one caller's part of the slots. */
  readonly name: string
  /** Aborts when the caller leaves. */
  readonly departure: AbortSignal
}

interface QueuedRead {
  readonly name: string
  begin(): void
}

export class ReadSlots {
  readonly #limits: ReadLimits
  readonly #running: FairShare
  readonly #queued: FairShare
  readonly #queue = new Set<QueuedRead>()

  constructor(limits: ReadLimits) {
    this.#limits = limits
    this.#running = new FairShare(limits.reads)
    this.#queued = new FairShare(limits.queuedReads)
  }

  /**
   * Runs `work` in a slot. Its signal aborts when the caller leaves, or when the work takes too long.
   * @throws LoomlogError `overloaded`; the caller's reason
   */
  async run<T>({ name, departure }: ReadingCaller, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    departure.throwIfAborted()
    if (this.#running.hasRoomFor(name)) this.#running.take(name)
    else await this.#waitForSlot(name, departure)
    const { readMs } = this.#limits
    const error = () => overloaded(`the read takes more than ${readMs} ms`)
    return await withDeadline({ ms: readMs, departure, error }, (signal) =>
      (async () => work(signal))().finally(() => this.#releaseSlot(name)),
    )
  }

  async #waitForSlot(name: string, departure: AbortSignal): Promise<void> {
    this.#checkQueue(name)
    const { reads, queueMs } = this.#limits
    const error = () => overloaded(`none of the ${reads} read slots became free within ${queueMs} ms`)
    await withDeadline({ ms: queueMs, departure, error }, (signal) => this.#slotFor(name, signal))
  }

  #checkQueue(name: string): void {
    const { reads, queuedReads } = this.#limits
    if (this.#queued.hasRoomFor(name)) return
    if (this.#queued.all >= queuedReads) throw overloaded(`${reads} reads run, and ${queuedReads} are queued`)
    throw overloaded(`${this.#queued.of(name)} reads of this caller are queued`)
  }

  #slotFor(name: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const read = { name, begin: resolve }
    this.#queue.add(read)
    this.#queued.take(name)
    // At once, since a read that has left must not get a slot.
    signal.addEventListener('abort', () => this.#dequeue(read), { once: true })
    return promise
  }

  #dequeue(read: QueuedRead): void {
    if (this.#queue.delete(read)) this.#queued.release(read.name)
  }

  /** Gives the slot to the first queued read whose caller may have it. */
  #releaseSlot(name: string): void {
    this.#running.release(name)
    for (const read of this.#queue) {
      if (!this.#running.hasRoomFor(read.name)) continue
      this.#dequeue(read)
      this.#running.take(read.name)
      read.begin()
      return
    }
  }
}

function overloaded(reason: string): LoomlogError {
  return new LoomlogError('overloaded', `${reason}: ask again later`)
}
