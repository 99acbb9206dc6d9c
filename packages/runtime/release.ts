/**
 * Ordered release: lanes finish in any order, and outputs leave in the order of their space. Spaces never wait for each other.
 *
 * The position is a low-water mark over the whole partition, so a space that is ahead of it would be read again after a
 * restart; the highest offset released of each space is committed along (`through`), and what lies below it is skipped then.
 */
import type { Output } from '@loomlog/log/port'
import type { Writes } from './overlay.ts'

/** One input record on its way through the runtime. */
export interface Entry {
  readonly offset: number
  /** The record's key; '' for control records and bytes that could not be decoded. */
  readonly space: string
  readonly outputs: Output[]
  readonly writes: Writes
  state: 'working' | 'done' | 'released' | 'committed'
}

export class ReleaseQueue {
  /** In offset order; committed ones leave from the front. */
  #entries: Entry[] = []
  readonly #bySpace = new Map<string, Entry[]>()
  #released: Entry[] = []
  #nextOffset: number

  constructor(position: number) {
    this.#nextOffset = position
  }

  /** How many records are read and not yet committed. */
  get size(): number {
    return this.#entries.length
  }

  get ready(): number {
    return this.#released.length
  }

  add(entry: Entry): void {
    this.#entries.push(entry)
    this.#nextOffset = entry.offset + 1
    const queue = this.#bySpace.get(entry.space)
    if (queue) queue.push(entry)
    else this.#bySpace.set(entry.space, [entry])
  }

  /** A record that was done before a restart, and is only passed. */
  pass(offset: number): void {
    this.#nextOffset = offset + 1
  }

  /** The entry is done; releases it, and what waited behind it, unless something before it in its space is still at work. */
  done(entry: Entry): void {
    entry.state = 'done'
    const queue = this.#bySpace.get(entry.space) ?? []
    while (queue[0]?.state === 'done') {
      const head = queue.shift() as Entry
      head.state = 'released'
      this.#released.push(head)
    }
    if (queue.length === 0) this.#bySpace.delete(entry.space)
  }

  /** Takes what is released, and the position that holds once it is committed. */
  take(limit: number): { readonly batch: readonly Entry[]; readonly position: number } {
    const batch = this.#released.slice(0, limit)
    const taken = new Set(batch)
    const first = this.#entries.find((entry) => entry.state !== 'committed' && !taken.has(entry))
    return { batch, position: first?.offset ?? this.#nextOffset }
  }

  committed(batch: readonly Entry[]): void {
    for (const entry of batch) entry.state = 'committed'
    this.#released = this.#released.slice(batch.length)
    const first = this.#entries.findIndex((entry) => entry.state !== 'committed')
    this.#entries = first === -1 ? [] : this.#entries.slice(first)
  }
}
