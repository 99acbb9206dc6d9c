/** The keyed records of one lane, as its steps and its look-ahead read them. */
import type { Json } from '@loomlog/schemas/ids'
import { type Overlay, stateKey } from './overlay.ts'

export class LaneState {
  readonly #overlay: Overlay
  readonly #place: { readonly space: string; readonly lane: string }
  /** By record: the prefix of its keys, computed once. A step reads hundreds of them. */
  readonly #prefixes = new Map<string, string>()

  constructor(overlay: Overlay, place: { readonly space: string; readonly lane: string }) {
    this.#overlay = overlay
    this.#place = place
  }

  key(record: string, key: string): string {
    let prefix = this.#prefixes.get(record)
    if (prefix === undefined) {
      prefix = stateKey('lane', this.#place.space, this.#place.lane, record, '')
      this.#prefixes.set(record, prefix)
    }
    return prefix + key.toWellFormed()
  }

  get(record: string, key: string): Json | null {
    return this.#overlay.get(this.key(record, key))
  }

  range(record: string, prefix: string, limit: number): readonly (readonly [key: string, value: Json])[] {
    const start = this.key(record, '').length
    return this.#overlay
      .range(this.key(record, prefix), limit)
      .map(([key, value]) => [key.slice(start), value] as const)
  }
}
