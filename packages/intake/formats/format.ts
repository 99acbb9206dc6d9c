/**
 * The common shape of all importers. A file is a row of JSON values: its lines, the items of its list, or one document
 * (import/values.ts). A format reads one value after the other and yields entries, each as `utteranceFrom` takes it,
 * with its place in the value. A wrong entry is yielded as a fault, so that the entries after it are still read; a
 * value that is wrong as a whole may throw.
 *
 * An export is imported again and again, with more in it. So an entry has no label that its program may change later,
 * such as the title of a conversation: the same id would have other content, which is a conflict.
 */
import { isLoomlogError, type LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'

export type Fields = { readonly [field: string]: unknown }

export interface Entry {
  /** Place in the value, such as `messages[3]`; '' is the value itself. */
  readonly at: string
  /** The utterance, unchecked. A text that is too long is split later. */
  readonly input: unknown
  /** Undefined: the space, or the tenant, of the command. */
  readonly space?: unknown
  readonly tenant?: unknown
  /** Its time is that of the file, which may change: the entry is known at another time too. */
  readonly isFileTime?: boolean
}

export interface EntryFault {
  readonly at: string
  readonly fault: LoomlogError
}

/** A part of the file that is no utterance, such as a hidden message; the plan counts them by reason. */
export interface LeftOut {
  readonly leftOut: string
}

export type EntryResult = Entry | EntryFault | LeftOut

export interface ImportOptions {
  /** Null: the command names none, and a format that knows the users gives each a space. */
  readonly space: string | null
  readonly defaultSpace: string
  /** The person of an export that doesn't name its writer. */
  readonly speaker: string
  /** Of chat messages that name none; null: each value has one of its own, after the file. */
  readonly conversation: string | null
  /** The file's name without folder and extension; null: standard input. */
  readonly fileName: string | null
  /** ISO 8601. Time of messages without one. */
  readonly at: string | null
  /** The time of the file; null: standard input. */
  readonly fileTime: string | null
}

export interface JsonValue {
  readonly value: unknown
  /** From 1, among the values of the file. */
  readonly number: number
}

export type Layout = 'lines' | 'items' | 'document'

/** Reads the values of one file in their order; it may keep state between them. */
export type FormatReader = (value: JsonValue) => Iterable<EntryResult>

export interface Format {
  /** Completes "expected" where a value is not JSON. */
  readonly expected: string
  /** Whether the first value of a file shows this format. */
  isFirstValue(value: Fields): boolean
  reader(options: ImportOptions): FormatReader
}

/** The entry, or its fault with its place. */
export function entryAt(at: string, read: () => Omit<Entry, 'at'> | LeftOut): EntryResult {
  try {
    const made = read()
    return 'leftOut' in made ? made : { at, ...made }
  } catch (error) {
    if (!isLoomlogError(error)) throw error
    return { at, fault: error }
  }
}

/** The entries of a part of the value; if the part is wrong as a whole, its fault. */
export function* entriesAt(at: string, read: () => Iterable<EntryResult>): Iterable<EntryResult> {
  try {
    yield* read()
  } catch (error) {
    if (!isLoomlogError(error)) throw error
    yield { at, fault: error }
  }
}

/** @throws LoomlogError `input-invalid` */
export function fieldsOf(value: unknown, field: string, expected = 'a JSON object'): Fields {
  if (isFields(value)) return value
  throw invalidInput(field, value, expected)
}

/** @throws LoomlogError `input-invalid` */
export function listOf(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalidInput(field, value, 'a list')
}

export function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** The text, or `(image, file)` for a message that has only attachments; null: it has neither. */
export function shownText(text: string, attachments: readonly { readonly kind: string }[]): string | null {
  if (text.trim() !== '') return text
  return attachments.length === 0 ? null : `(${attachments.map(({ kind }) => kind).join(', ')})`
}

/** Labels of an utterance from any JSON object: other values than strings become JSON, and empty ones are left out. */
export function labelsOf(values: Fields): { readonly [label: string]: string } {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')]),
  )
}

/** ISO 8601 from seconds since 1970, as exports of ChatGPT have them. @throws LoomlogError `input-invalid` */
export function timeOfSeconds(value: unknown, field: string): string {
  const time = new Date(typeof value === 'number' ? Math.round(value * 1_000) : Number.NaN)
  if (!Number.isNaN(time.getTime()) && time.getTime() >= 0 && time.getUTCFullYear() < 10_000) return time.toISOString()
  throw invalidInput(field, value, 'seconds since 1970')
}
