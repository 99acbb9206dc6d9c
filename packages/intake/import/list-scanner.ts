/**
 * Finds the items of a JSON list in its bytes, without parsing them: brackets outside of texts are counted. Whether an
 * item is JSON shows when it is parsed.
 */
import { LoomlogError } from '@loomlog/errors'

export const listBegin = 0x5b
const [quote, comma, backslash, listEnd, objectBegin, objectEnd] = [0x22, 0x2c, 0x5c, 0x5d, 0x7b, 0x7d]

/** The brackets of the list, the comma after an item, a byte of an item, or one before or after the list. */
export type PlaceInList = 'begin' | 'end' | 'comma' | 'item' | 'outside'

export class ListScanner {
  readonly #file: string
  #depth = 0
  #isInText = false
  #isEscaped = false
  #hasEnded = false

  constructor(file: string) {
    this.#file = file
  }

  get isInList(): boolean {
    return this.#depth > 0
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Takes every byte in order. @throws LoomlogError `input-invalid` for a text after the list */
  placeOf(byte: number): PlaceInList {
    if (this.#isInText) return this.#inText(byte)
    if (this.#depth === 0) return this.#outside(byte)
    if (this.#depth === 1 && byte === comma) return 'comma'
    if (this.#depth === 1 && byte === listEnd) return this.#end()
    if (byte === quote) this.#isInText = true
    else if (byte === listBegin || byte === objectBegin) this.#depth += 1
    else if (byte === listEnd || byte === objectEnd) this.#depth -= 1
    return 'item'
  }

  #inText(byte: number): PlaceInList {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) this.#isInText = false
    return 'item'
  }

  #outside(byte: number): PlaceInList {
    if (this.#hasEnded && !isSpace(byte))
      throw new LoomlogError('input-invalid', `${this.#file}: there is a text after the end of its list`)
    if (byte !== listBegin) return 'outside'
    this.#depth = 1
    return 'begin'
  }

  #end(): PlaceInList {
    this.#depth = 0
    this.#hasEnded = true
    return 'end'
  }
}

export function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
