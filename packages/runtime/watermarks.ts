/**
 * How far into `utterances` a derived partition reflects: "done up to offset n". The first stage's watermark is its own position;
 * a later stage learns it from the watermark records in its input, and passes one on once everything before it is done.
 */
import type { LoomEvent } from '@loomlog/schemas/events'

export class Watermarks {
  readonly #input: 'source' | 'derived'
  /** Watermark records read and not passed on yet, by their offset in the input. */
  #seen: { readonly inputOffset: number; readonly sourceOffset: number }[] = []
  #last = 0

  constructor(input: 'source' | 'derived') {
    this.#input = input
  }

  note(inputOffset: number, event: LoomEvent | null): void {
    if (event?.type === 'WatermarkAdvanced') this.#seen.push({ inputOffset, sourceOffset: event.offset })
  }

  /** The watermark that holds once `position` is committed, or null if it has not moved since it was last asked for. */
  at(position: number): number | null {
    const reached = this.#input === 'source' ? position : this.#passed(position)
    if (reached <= this.#last) return null
    this.#last = reached
    return reached
  }

  #passed(position: number): number {
    const passed = this.#seen.filter((mark) => mark.inputOffset < position)
    this.#seen = this.#seen.slice(passed.length)
    return passed.at(-1)?.sourceOffset ?? 0
  }
}
