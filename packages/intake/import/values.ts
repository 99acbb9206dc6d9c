/**
 * Splits the bytes of a file into JSON values, each with its place, without holding more than one of them: the lines of
 * a file, the items of a list, or the whole of a document. A value is parsed later, so that a wrong one hides no other.
 */
import { isUtf8 } from 'node:buffer'
import { LoomlogError } from '@loomlog/errors'
import { escapeUnseen } from '@loomlog/errors/invalid-input'
import type { Layout } from '../formats/format.ts'
import { isSpace, ListScanner, listBegin, type PlaceInList } from './list-scanner.ts'

export interface RawValue {
  /** File and line, or file and number of the item. */
  readonly where: string
  /** From 1, among the values of the file. */
  readonly number: number
  readonly bytes: Buffer
}

/** @throws LoomlogError `input-invalid` for a list without an end, or with more after it */
export interface Splitter {
  push(chunk: Buffer): Iterable<RawValue>
  end(): Iterable<RawValue>
}

/** Longest value, in bytes: one in memory as bytes, text and JSON, below the longest string of JavaScript. */
export const maxValueBytes = 512_000_000
const newline = 0x0a
const byteOrderMark = Buffer.from('\u{feff}')

export function splitterOf(layout: Layout, file: string): Splitter {
  return { lines: lineSplitter, items: itemSplitter, document: documentSplitter }[layout](file)
}

/** The list of a file begins with a bracket; null: it has nothing but white space. */
export function isList(head: Buffer): boolean | null {
  const first = withoutMark(head).find((each) => !isSpace(each))
  return first === undefined ? null : first === listBegin
}

/**
 * The value of a file's bytes.
 * @throws LoomlogError `input-invalid` where they are not UTF-8, as decoding would change the words, or not JSON
 */
export function parsedValue({ where, bytes }: RawValue, expected: string): unknown {
  if (!isUtf8(bytes)) throw new LoomlogError('input-invalid', `${where}: not UTF-8${isGzip(bytes) ? gzipAdvice : ''}`)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    // The message quotes the file.
    const message = `${where}: not JSON: ${escapeUnseen((cause as Error).message)}; expected ${expected}`
    throw new LoomlogError('input-invalid', message, { cause })
  }
}

const gzipAdvice = ': it is gzipped; expected an archive as a file, without --format, or another format unpacked'

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** Blank lines are skipped. */
function lineSplitter(file: string): Splitter {
  const pending = new PendingBytes(() => `${file}:${line + 1}`)
  let line = 0
  let number = 0
  function* valueOfLine(bytes: Buffer): Iterable<RawValue> {
    line += 1
    const text = line === 1 ? withoutMark(bytes) : bytes
    if (text.every(isSpace)) return
    number += 1
    yield { where: `${file}:${line}`, number, bytes: text }
  }
  return {
    *push(chunk) {
      let from = 0
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        yield* valueOfLine(pending.take(chunk.subarray(from, at)))
        from = at + 1
      }
      pending.add(chunk.subarray(from))
    },
    *end() {
      yield* valueOfLine(pending.take())
    },
  }
}

function itemSplitter(file: string): Splitter {
  const pending = new PendingBytes(() => `${file}: item ${number + 1}`)
  const scanner = new ListScanner(file)
  let number = 0
  function* itemOf(bytes: Buffer, place: PlaceInList): Iterable<RawValue> {
    const isEmptyList = place === 'end' && number === 0 && bytes.every(isSpace)
    if (isEmptyList) return
    number += 1
    yield { where: `${file}: item ${number}`, number, bytes }
  }
  return {
    *push(chunk) {
      let from = scanner.isInList ? 0 : chunk.length
      for (let at = 0; at < chunk.length; at++) {
        const place = scanner.placeOf(chunk[at] as number)
        if (place === 'item' || place === 'outside') continue
        if (place !== 'begin') yield* itemOf(pending.take(chunk.subarray(from, at)), place)
        from = place === 'end' ? chunk.length : at + 1
      }
      pending.add(chunk.subarray(from))
    },
    end() {
      if (scanner.hasEnded) return []
      throw new LoomlogError('input-invalid', `${file}: its list has no end after item ${number}`)
    },
  }
}

function documentSplitter(file: string): Splitter {
  const pending = new PendingBytes(() => file)
  return {
    push(chunk) {
      pending.add(chunk)
      return []
    },
    *end() {
      const bytes = withoutMark(pending.take())
      if (!bytes.every(isSpace)) yield { where: file, number: 1, bytes }
    },
  }
}

/** The beginning of a value whose end is in a later chunk. A broken file may have one that never ends. */
class PendingBytes {
  readonly #where: () => string
  #parts: Buffer[] = []
  #bytes = 0

  constructor(where: () => string) {
    this.#where = where
  }

  /** @throws LoomlogError `input-invalid` for a value that is too long */
  add(bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#bytes > maxValueBytes)
      throw new LoomlogError(
        'input-invalid',
        `${this.#where()}: one JSON value of more than 512 MB: expected a shorter one`,
      )
    if (bytes.length > 0) this.#parts.push(bytes)
  }

  take(end: Buffer = Buffer.alloc(0)): Buffer {
    const bytes = this.#parts.length === 0 ? end : Buffer.concat([...this.#parts, end])
    this.#parts = []
    this.#bytes = 0
    return bytes
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? bytes.subarray(byteOrderMark.length) : bytes
}
