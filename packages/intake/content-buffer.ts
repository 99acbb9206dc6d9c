/**
 * Entries of the index of known ids that its file does not have yet. They collect in memory until there is a block of them. A block is
 * sorted and written a slice at a time: neighbours share the pages of the file, and no append waits for a whole block.
 *
 * The checkpoints of a block are written after its last entry, so a process that dies reads the missing entries from the log again.
 */
import type { Checkpoint } from '@loomlog/log/checkpoint'
import type { ContentFile, ContentRow } from './content-file.ts'

type Checkpoints = ReadonlyMap<number, Checkpoint>

interface Block {
  /** Content by id. */
  readonly contents: ReadonlyMap<string, string>
  readonly sorted: readonly ContentRow[]
  readonly checkpoints: Checkpoints
  written: number
}

/** Some 200 bytes each. Memory holds two blocks at most: one collects while the other is written. */
const entriesOfABlock = 10_000
/** A transaction costs as much as 50 entries. */
const minEntriesOfASlice = 250

export class ContentBuffer {
  #collecting = new Map<string, string>()
  #block: Block | null = null

  /** The first content of an id stays. */
  add(id: string, content: string): void {
    if (!this.#collecting.has(id)) this.#collecting.set(id, content)
  }

  contentOf(id: string): string | null {
    return this.#block?.contents.get(id) ?? this.#collecting.get(id) ?? null
  }

  /**
   * Writes the next slice, if a block is full. Called for each append with its number of entries, it writes as fast as entries collect.
   * @param checkpoints the positions that the file has reached once every entry so far is in it
   */
  writeSlice(file: ContentFile, checkpoints: Checkpoints, entries: number): void {
    if (this.#block === null && this.#collecting.size >= entriesOfABlock) this.#seal(checkpoints)
    const block = this.#block
    if (block === null) return
    const end = block.written + Math.max(entries, minEntriesOfASlice)
    file.keep(block.sorted.slice(block.written, end))
    block.written = end
    if (end < block.sorted.length) return
    file.moveTo(block.checkpoints)
    this.#block = null
  }

  /** Writes every entry. */
  writeAll(file: ContentFile, checkpoints: Checkpoints): void {
    while (this.#block !== null) this.writeSlice(file, checkpoints, entriesOfABlock)
    this.#seal(checkpoints)
    while (this.#block !== null) this.writeSlice(file, checkpoints, entriesOfABlock)
  }

  clear(): void {
    this.#collecting.clear()
    this.#block = null
  }

  #seal(checkpoints: Checkpoints): void {
    const contents = this.#collecting
    this.#collecting = new Map()
    const sorted = Array.from(contents, ([id, content]) => ({ id, content })).sort((a, b) => (a.id < b.id ? -1 : 1))
    this.#block = { contents, sorted, checkpoints: new Map(checkpoints), written: 0 }
  }
}
