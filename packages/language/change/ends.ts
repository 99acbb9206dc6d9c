/** Whether a change outdates an earlier sentence of the same person. */
import { terms } from '../terms.ts'
import { onlyValue, type Value } from './only-value.ts'

export type Ends = (earlier: Sentence) => boolean

/** A sentence with its readings, each made once: it is compared with many others. */
export class Sentence {
  readonly written: string
  #inFull: string | null = null
  #terms: ReadonlySet<string> | null = null
  #value: Value | null | undefined = undefined

  constructor(written: string) {
    this.written = written
  }

  /** Without contractions: `I'm` as `I am`. */
  get inFull(): string {
    this.#inFull ??= inFull(this.written)
    return this.#inFull
  }

  get terms(): ReadonlySet<string> {
    this.#terms ??= new Set(terms(this.written))
    return this.#terms
  }

  /** Its only value; null: it has none, or several. */
  get value(): Value | null {
    if (this.#value === undefined) this.#value = onlyValue(this.written)
    return this.#value
  }
}

function inFull(sentence: string): string {
  return sentence
    .trim()
    .replaceAll('’', "'")
    .replace(/\b(I)'m\b/gi, '$1 am')
    .replace(/\b(he|she|it)'s\b/gi, '$1 is')
    .replace(/\b(we|you|they)'re\b/gi, '$1 are')
}
