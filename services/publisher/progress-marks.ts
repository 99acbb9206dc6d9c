/**
 * The utterances of a partition that the feed doesn't reflect yet, by space. The position is a low-water mark:
 * everything before it is reflected and marked. A space takes one entry, however far a stage is behind.
 */
import type { LogRecord } from '@loomlog/log/port'

interface Open {
  /** The first and the last offset that are not marked. */
  readonly first: number
  readonly last: number
}

export class ProgressMarks {
  readonly #open = new Map<string, Open>()
  #next: number

  /** @param position where reading begins */
  constructor(position: number) {
    this.#next = position
  }

  get position(): number {
    let position = this.#next
    for (const { first } of this.#open.values()) position = Math.min(position, first)
    return position
  }

  get isWaiting(): boolean {
    return this.#open.size > 0
  }

  /** Records of `utterances`, in order. */
  note(records: readonly LogRecord[]): void {
    for (const { key, offset } of records) {
      this.#next = offset + 1
      if (key !== null) this.#open.set(key, { first: this.#open.get(key)?.first ?? offset, last: offset })
    }
  }

  /** For a space that switched to a generation behind its mark: it needs another mark at this offset. */
  reopen(space: string, mark: number): void {
    const { first, last } = this.#open.get(space) ?? { first: mark - 1, last: mark - 1 }
    this.#open.set(space, { first: Math.min(first, mark - 1), last: Math.max(last, mark - 1) })
  }

  /** The spaces whose watermark has moved past an open utterance; from then on they count as marked. */
  due(watermarkOf: (space: string) => number): readonly { readonly space: string; readonly upTo: number }[] {
    const due: { readonly space: string; readonly upTo: number }[] = []
    for (const [space, { first, last }] of this.#open) {
      const upTo = watermarkOf(space)
      if (upTo <= first) continue
      due.push({ space, upTo })
      if (upTo > last) this.#open.delete(space)
      else this.#open.set(space, { first: upTo, last })
    }
    return due
  }
}
