/**
 * The ledger of a lease: which records are read and not committed, which are skipped, and the position that a commit
 * may carry.
 *
 * A record is *working* until its lane is done with it, then *done*. It is *released* once every record before it in
 * its space is done. A full space's records are *skipped*, and read again when it has room, so that a slow space blocks
 * no other. `cursor` is the offset behind the last record that was handled; `frontier` is the first offset that was
 * never read.
 *
 * L1. The records of a space are accepted in offset order, each once.
 * L2. Of a space's skipped records only the first offset is kept. Until that record is accepted, no later one of the
 * space is. L3. After a skipped record was accepted, reading continues to the frontier without a jump forward: later
 * records of its space may
 *     have been skipped too.
 * L4. The records of a space are released in offset order.
 * L5. Every record below the position is committed or in the commit that carries it, or needs no work. The position
 * never falls. L6. At most `maxInFlight` records are held. A space holds at most as many records, and bytes, as are
 * free; one it may always hold.
 */
import type { LogRecord, Output } from '@loomlog/log/port'
import type { Span } from '@loomlog/telemetry/spans'
import type { Writes } from './overlay.ts'

/** Limit of all held records: a few large ones fill the room. */
export const maxHeldBytes = 32_000_000
/**
 * A full space has room again once the free room is this many times its held records. With less, every record would
 * cost a seek.
 */
const roomFactor = 3

/** One input record on its way through the runtime. */
export interface Entry {
  readonly offset: number
  /** The record's key; '' where it has none. */
  readonly space: string
  /** Size of the record. */
  readonly bytes: number
  readonly outputs: Output[]
  readonly writes: Writes
  /** From reading to the commit; null: the record is not traced. */
  readonly span: Span | null
  state: 'working' | 'done'
}

/** The records of a space that are not released, in offset order. */
interface UnreleasedRecords {
  readonly entries: Entry[]
  bytes: number
}

/** The records of a commit, and the position that holds once they are committed. */
export interface NextCommit {
  readonly entries: readonly Entry[]
  readonly position: number
}

export class Ledger {
  /** Accepted and not committed. */
  readonly #open = new Set<Entry>()
  readonly #held = new Map<string, UnreleasedRecords>()
  readonly #released: Entry[] = []
  /** By space: the offset of its first skipped record. */
  readonly #skipped = new Map<string, number>()
  /** Skipped spaces whose first skipped record waits until the space holds none. */
  readonly #restarting = new Set<string>()
  /** Spaces whose first skipped record was accepted since the cursor was at the frontier. */
  readonly #rereading = new Set<string>()
  #bytes = 0
  #cursor: number
  #frontier: number

  constructor(position: number) {
    this.#cursor = position
    this.#frontier = position
  }

  /** How many records are accepted and not committed. */
  get size(): number {
    return this.#open.size
  }

  /** The records that are accepted and not committed. */
  get open(): Iterable<Entry> {
    return this.#open
  }

  /** How many records are released and wait for their commit. */
  get released(): number {
    return this.#released.length
  }

  /** How many records are accepted and not released. */
  get working(): number {
    return this.#open.size - this.#released.length
  }

  get hasSkipped(): boolean {
    return this.#skipped.size > 0
  }

  /** How many more records may be read. */
  room(maxInFlight: number): number {
    return this.#bytes >= maxHeldBytes ? 0 : maxInFlight - this.#open.size
  }

  isFull(space: string, maxInFlight: number): boolean {
    return !this.#fits(space, maxInFlight, 1)
  }

  /** Whether a record of the space is accepted and not released. */
  holds(space: string): boolean {
    return this.#held.has(space)
  }

  /** Whether a skipped space may be read again. */
  hasRoomAgain(space: string, maxInFlight: number): boolean {
    return this.#restarting.has(space) ? !this.holds(space) : this.#fits(space, maxInFlight, roomFactor)
  }

  /** Where to read next: an offset to seek to, or null to read on. */
  seekTarget(maxInFlight: number): number | null {
    let target = this.#rereading.size > 0 ? this.#cursor : this.#frontier
    for (const [space, offset] of this.#skipped) {
      if (offset < target && this.hasRoomAgain(space, maxInFlight)) target = offset
    }
    if (target === this.#cursor) return null
    this.#cursor = target
    return target
  }

  /** Those records of a batch that may be accepted when it is their turn; the others needn't be decoded. */
  candidates(records: readonly LogRecord[]): readonly LogRecord[] {
    const from = records[0]?.offset ?? 0
    return records.filter(({ key, offset }) => {
      const first = this.#skipped.get(key ?? '')
      return first === undefined || (first >= from && first <= offset)
    })
  }

  /**
   * False for a record behind a skipped one of its space. Admission (input.ts) recognizes records that were accepted
   * before.
   */
  isNext({ key, offset }: LogRecord): boolean {
    // A record without a key is in no space, and is next only when it is first read.
    if (key === null) return offset >= this.#frontier
    const first = this.#skipped.get(key)
    return first === undefined || first === offset
  }

  /** @param why `restart`: the record waits until every record before it in its space is released */
  skip({ key, offset }: LogRecord, why: 'full' | 'restart' = 'full'): void {
    this.#skipped.set(key ?? '', offset)
    if (why === 'restart') this.#restarting.add(key ?? '')
    this.#rereading.delete(key ?? '')
  }

  /** The record needs no work. */
  passOver({ key, offset }: LogRecord): void {
    this.#handled(key ?? '', offset)
  }

  accept(entry: Entry): void {
    this.#handled(entry.space, entry.offset)
    this.#open.add(entry)
    this.#bytes += entry.bytes
    const held = this.#held.get(entry.space) ?? { entries: [], bytes: 0 }
    held.entries.push(entry)
    held.bytes += entry.bytes
    this.#held.set(entry.space, held)
  }

  /** Every record of the batch was accepted, passed, skipped, or is no candidate. */
  endBatch(records: readonly LogRecord[]): void {
    const last = records.at(-1)
    if (last === undefined) return
    this.#cursor = last.offset + 1
    if (this.#cursor < this.#frontier) return
    this.#frontier = this.#cursor
    this.#rereading.clear()
  }

  /** Releases the entry, and the done ones behind it, unless one before it in its space is working. */
  finish(entry: Entry): void {
    entry.state = 'done'
    const held = this.#held.get(entry.space) ?? { entries: [], bytes: 0 }
    const { entries } = held
    const working = entries.findIndex(({ state }) => state === 'working')
    for (const each of entries.splice(0, working === -1 ? entries.length : working)) {
      held.bytes -= each.bytes
      this.#released.push(each)
    }
    if (entries.length === 0) this.#held.delete(entry.space)
  }

  /** The commit of all released records. */
  nextCommit(): NextCommit {
    let position = this.#cursor
    for (const offset of this.#skipped.values()) position = Math.min(position, offset)
    for (const { state, offset } of this.#open) if (state === 'working') position = Math.min(position, offset)
    return { entries: [...this.#released], position }
  }

  /** @param entries those of `nextCommit`; more may have been released since */
  markCommitted(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#open.delete(entry)
      this.#bytes -= entry.bytes
    }
    this.#released.splice(0, entries.length)
  }

  #handled(space: string, offset: number): void {
    this.#cursor = offset + 1
    this.#restarting.delete(space)
    if (this.#skipped.delete(space)) this.#rereading.add(space)
  }

  #fits(space: string, maxInFlight: number, factor: number): boolean {
    const { entries, bytes } = this.#held.get(space) ?? { entries: [], bytes: 0 }
    if (entries.length === 0) return true
    const isFewEnough = entries.length * factor < maxInFlight - this.#open.size
    return isFewEnough && bytes * factor < maxHeldBytes - this.#bytes
  }
}
