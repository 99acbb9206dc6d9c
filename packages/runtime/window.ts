/**
 * How much of a partition is held at once, and what of it is read later. A space may hold as many places as it leaves free, so that one
 * whose model is slow holds up no other, however much it has to do: what it has beyond that is read past, and read again, from the
 * first of it on, when the space has room.
 *
 * The records of a space are accepted in their order, each once: of one that was read past, only the first that waits may be next, and
 * whoever accepts a record drops those that lie below what its space was accepted through. Nothing is kept of what waits but an offset.
 */
import type { LogRecord } from '@loomlog/log/port'
import type { ReleaseQueue } from './release.ts'

/** Large records fill the window sooner. */
export const maxHeldBytes = 32_000_000
/** A space that was full has room again when it holds so many times fewer places than are free. */
const worthWhile = 3

export class Window {
  readonly #queue: ReleaseQueue
  /** By space that was read past: the offset of its first record that waits. */
  readonly #waiting = new Map<string, number>()
  /** Those of which some is being read again. */
  readonly #again = new Set<string>()
  /** The next offset to read, and the next that was never read. */
  #next: number
  #end: number

  constructor(queue: ReleaseQueue, position: number) {
    this.#queue = queue
    this.#next = position
    this.#end = position
  }

  /** Is something read past? */
  get isBehind(): boolean {
    return this.#waiting.size > 0
  }

  /** Nothing from here on is done: something waits to be read. */
  get floor(): number {
    let floor = Number.POSITIVE_INFINITY
    for (const offset of this.#waiting.values()) floor = Math.min(floor, offset)
    return floor
  }

  /** How many records there are places for. */
  room(places: number): number {
    return this.#queue.bytes >= maxHeldBytes ? 0 : places - this.#queue.size
  }

  /** Does this space hold as many records, or bytes, as there is room for? One that holds nothing may always have one. */
  isFull(space: string, places: number): boolean {
    return !this.#holdsLess(space, places, 1)
  }

  /** One that was full: is there room for more than a few? */
  hasRoom(space: string, places: number): boolean {
    return this.#holdsLess(space, places, worthWhile)
  }

  /** Where to read on, if that is not right behind what was read last. */
  turn(places: number): number | null {
    let to = this.#again.size > 0 ? this.#next : this.#end
    for (const [space, offset] of this.#waiting) {
      if (offset < to && this.hasRoom(space, places)) to = offset
    }
    if (to === this.#next) return null
    this.#next = to
    this.#queue.pass(to - 1)
    return to
  }

  /** Those of a batch that may be next in their space when it is their turn. */
  candidates(records: readonly LogRecord[]): readonly LogRecord[] {
    const from = records[0]?.offset ?? 0
    return records.filter(({ key, offset }) => {
      const first = this.#waiting.get(key ?? '')
      return first === undefined || (first >= from && first <= offset)
    })
  }

  /** May this record be next in its space? Else it was accepted already, or comes after one that waits. */
  isNext({ key, offset }: LogRecord): boolean {
    // Without a key it is of no space, and counts once.
    if (key === null) return offset >= this.#end
    const first = this.#waiting.get(key)
    return first === undefined || first === offset
  }

  readLater({ key, offset }: LogRecord): void {
    this.#waiting.set(key ?? '', offset)
    this.#again.delete(key ?? '')
  }

  /** It is accepted: those of its space that follow it may be. */
  accepted({ key }: LogRecord): void {
    if (this.#waiting.delete(key ?? '')) this.#again.add(key ?? '')
  }

  /** All of these were accepted, passed, or are read later. */
  readThrough(records: readonly LogRecord[]): void {
    const last = records.at(-1)
    if (last === undefined) return
    this.#next = last.offset + 1
    this.#queue.pass(last.offset)
    if (this.#next < this.#end) return
    this.#end = this.#next
    this.#again.clear()
  }

  #holdsLess(space: string, places: number, times: number): boolean {
    const { count, bytes } = this.#queue.held(space)
    if (count === 0) return true
    return count * times < places - this.#queue.size && bytes * times < maxHeldBytes - this.#queue.bytes
  }
}
