/**
 * Entries of the index of known ids that its file does not have yet. They collect in memory until there is a block of
 * them. A block is written in the order of its ids, a slice at a time: neighbours share the pages of the file, and no
 * append waits for a whole block.
 *
 * The checkpoints of a block are written as `started` before its first entry, and as `complete` after its last one. A
 * process that dies between the two reads the missing entries from the log again, and leaves no entry without the
 * identity of its log.
 */
import type { Checkpoint } from '@loomlog/log/checkpoint'
import type { ContentFile, ContentRow } from './content-file.ts'
import { SortedRuns } from './sorted-runs.ts'

type Checkpoints = ReadonlyMap<number, Checkpoint>

interface Block {
  /** By id. */
  readonly rows: ReadonlyMap<string, ContentRow>
  /** The entries that the file does not have. */
  readonly unwritten: SortedRuns
  /** Taken from `unwritten`, and empty once it is in the file: a write that fails is repeated. */
  slice: readonly ContentRow[]
  readonly checkpoints: Checkpoints
  isStarted: boolean
}

/** Some 200 bytes each. Memory holds two blocks: one collects while the other is written. */
const entriesOfABlock = 10_000
/** Limit of the entries that collect while the file can't be written, some 10 MB. */
export const maxBufferedEntries = 50_000
/** A transaction costs as much as 50 entries. */
const minEntriesOfASlice = 250

export class ContentBuffer {
  #collecting = new Map<string, ContentRow>()
  #unwritten = new SortedRuns()
  #block: Block | null = null

  /** The file must take entries before more may be added. */
  get isFull(): boolean {
    return this.#collecting.size >= maxBufferedEntries
  }

  /** The first content of an id stays. @param from an earlier offset is forgotten */
  add(row: ContentRow, from = 0): void {
    const known = this.#collecting.get(row.id)
    if (known !== undefined && known.offset >= from) return
    this.#collecting.set(row.id, row)
    this.#unwritten.add(row)
  }

  /** @param from an earlier offset is forgotten */
  contentOf(id: string, from = 0): string | null {
    const rows = [this.#block?.rows.get(id), this.#collecting.get(id)]
    return rows.find((row) => row !== undefined && row.offset >= from)?.content ?? null
  }

  /**
   * Writes the next slice, if a block is full. Called for each append with its number of entries, it writes as fast as
   * entries collect.
   * @param checkpoints the positions that the file has reached once every entry so far is in it
   */
  writeSlice(file: ContentFile, checkpoints: Checkpoints, entries: number): void {
    if (this.#block === null && this.#collecting.size >= entriesOfABlock) this.#seal(checkpoints)
    const block = this.#block
    if (block === null) return
    if (!block.isStarted) file.setCheckpoints('started', block.checkpoints)
    block.isStarted = true
    if (block.slice.length === 0) block.slice = block.unwritten.take(Math.max(entries, minEntriesOfASlice))
    file.insert(block.slice)
    block.slice = []
    if (!block.unwritten.isEmpty) return
    file.setCheckpoints('complete', block.checkpoints)
    this.#block = null
  }

  /** Writes every entry. */
  writeAll(file: ContentFile, checkpoints: Checkpoints): void {
    while (this.#block !== null) this.writeSlice(file, checkpoints, entriesOfABlock)
    this.#seal(checkpoints)
    while (this.#block !== null) this.writeSlice(file, checkpoints, entriesOfABlock)
  }

  clear(): void {
    this.#collecting = new Map()
    this.#unwritten = new SortedRuns()
    this.#block = null
  }

  #seal(checkpoints: Checkpoints): void {
    const [rows, unwritten] = [this.#collecting, this.#unwritten]
    this.#collecting = new Map()
    this.#unwritten = new SortedRuns()
    this.#block = { rows, unwritten, slice: [], checkpoints: new Map(checkpoints), isStarted: false }
  }
}
