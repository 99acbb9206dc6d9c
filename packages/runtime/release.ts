/**
 * Ordered release: lanes finish in any order, and outputs leave in the order of their space. Spaces never wait for each other.
 *
 * The position is a low-water mark over the whole partition, so a space that is ahead of it will be read again after a restart;
 * the highest offset done of each space is committed along (`through`), and what lies below it is skipped then.
 */
import type { Output } from '@loomlog/log/port'
import type { Writes } from './overlay.ts'

/** What is not released of a space. */
interface Held {
  /** In offset order. */
  readonly entries: Entry[]
  bytes: number
}

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
  /** Read and not committed; those of a space in offset order. */
  readonly #open = new Set<Entry>()
  readonly #bySpace = new Map<string, Held>()
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
    const held = this.#bySpace.get(entry.space) ?? { entries: [], bytes: 0 }
    held.entries.push(entry)
    held.bytes += entry.bytes
    this.#bySpace.set(entry.space, held)
  }

  /** How many records of a space are read and not released, and how large they are. */
  held(space: string): { readonly count: number; readonly bytes: number } {
    const held = this.#bySpace.get(space)
    return { count: held?.entries.length ?? 0, bytes: held?.bytes ?? 0 }
  }

  /** Reading goes on behind this, above or below what was read: what lies between asks for nothing, is done, or is read later. */
  pass(offset: number): void {
    this.#nextOffset = offset + 1
  }

  /** The entry is done; releases it, and what waited behind it, unless something before it in its space is still at work. */
  done(entry: Entry): void {
    entry.state = 'done'
    const held = this.#bySpace.get(entry.space) ?? { entries: [], bytes: 0 }
    const { entries } = held
    const working = entries.findIndex(({ state }) => state === 'working')
    for (const each of entries.splice(0, working === -1 ? entries.length : working)) {
      held.bytes -= each.bytes
      this.#released.push(each)
    }
    if (entries.length === 0) this.#bySpace.delete(entry.space)
  }

  /**
   * What is released, and the position that holds once it is committed: all below it is done, or released.
   * @param floor the first offset that was read past
   */
  released(floor: number): { readonly batch: readonly Entry[]; readonly position: number } {
    let position = Math.min(this.#nextOffset, floor)
    for (const { state, offset } of this.#open) if (state === 'working' && offset < position) position = offset
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
