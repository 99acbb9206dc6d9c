/**
 * Watermarks: the offset in `utterances` up to which a derived partition is complete. The first stage's watermark is
 * its own position. A later stage gets it from the watermark records in its input, and passes one on once everything
 * before it is done.
 */
import { isEvent, type LogEvent } from '@loomlog/schemas/events'

/** Limit of pending watermarks while a slow record holds the position. A lower one is still true, so most may go. */
export const maxPendingWatermarks = 256

interface Mark {
  readonly inputOffset: number
  readonly sourceOffset: number
}

export class Watermarks {
  readonly #input: 'source' | 'derived'
  /** Watermark records read and not passed on yet. */
  #pending: readonly Mark[] = []
  #last = 0

  constructor(input: 'source' | 'derived') {
    this.#input = input
  }

  get pending(): number {
    return this.#pending.length
  }

  note(inputOffset: number, event: LogEvent | null): void {
    if (!isEvent('WatermarkAdvanced', event)) return
    const kept =
      this.#pending.length < maxPendingWatermarks ? this.#pending : this.#pending.filter((_, index) => index % 2 === 1)
    this.#pending = [...kept, { inputOffset, sourceOffset: event.offset }]
  }

  /** The watermark that holds once `position` is committed; null if it has not moved since the last call. */
  at(position: number): number | null {
    const reached = this.#input === 'source' ? position : this.#passed(position)
    if (reached <= this.#last) return null
    this.#last = reached
    return reached
  }

  #passed(position: number): number {
    const passed = this.#pending.filter((mark) => mark.inputOffset < position)
    this.#pending = this.#pending.slice(passed.length)
    return passed.at(-1)?.sourceOffset ?? 0
  }
}
