/**
 * Ordered release: lanes finish in any order, and outputs leave in the order of their space. Spaces never wait for each other.
 *
 * The position is a low-water mark over the whole partition, so a space that is ahead of it will be read again after a restart;
 * the highest offset done of each space is committed along (`through`), and what lies below it is skipped then.
 */
import type { Output } from '@loomlog/log/port'
import type { Writes } from './overlay.ts'

/** One input record on its way through the runtime. */
export interface Entry {
  readonly offset: number
  /** The record's key; '' where it has none. */
  readonly space: string
  /** Of the record. */
  readonly bytes: number
  readonly outputs: Output[]
  readonly writes: Writes
  state: 'working' | 'done'
}

export class ReleaseQueue {
  /** Read and not committed, in offset order. */
  readonly #open = new Set<Entry>()
  /** Not released, in offset order. */
  readonly #bySpace = new Map<string, Entry[]>()
  readonly #released: Entry[] = []
  #nextOffset: number
  #bytes = 0

  constructor(position: number) {
    this.#nextOffset = position
  }

  /** How many records are read and not yet committed. */
  get size(): number {
    return this.#open.size
  }

  /** Of the records that are read and not yet committed. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many are released and wait for their commit. */
  get waiting(): number {
    return this.#released.length
  }

  /** How many are read and not released: at work, or done and behind something that is. */
  get working(): number {
    return this.#open.size - this.#released.length
  }

  add(entry: Entry): void {
    this.#open.add(entry)
    this.#bytes += entry.bytes
    this.#nextOffset = entry.offset + 1
    const queue = this.#bySpace.get(entry.space)
    if (queue) queue.push(entry)
    else this.#bySpace.set(entry.space, [entry])
  }

  /** A record that asks for nothing, or was done before a restart. */
  pass(offset: number): void {
    this.#nextOffset = offset + 1
  }

  /** The entry is done; releases it, and what waited behind it, unless something before it in its space is still at work. */
  done(entry: Entry): void {
    entry.state = 'done'
    const queue = this.#bySpace.get(entry.space) ?? []
    const working = queue.findIndex(({ state }) => state === 'working')
    this.#released.push(...queue.splice(0, working === -1 ? queue.length : working))
    if (queue.length === 0) this.#bySpace.delete(entry.space)
  }

  /** What is released, and the position that holds once it is committed: all that is done waits for something at work, or is released. */
  released(): { readonly batch: readonly Entry[]; readonly position: number } {
    let position = this.#nextOffset
    for (const entry of this.#open) {
      if (entry.state === 'done') continue
      position = entry.offset
      break
    }
    return { batch: [...this.#released], position }
  }

  /** The batch was the first of what is released, and is committed. */
  committed(batch: readonly Entry[]): void {
    for (const entry of batch) {
      this.#open.delete(entry)
      this.#bytes -= entry.bytes
    }
    this.#released.splice(0, batch.length)
  }
}
