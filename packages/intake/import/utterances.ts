/**
 * Utterances from the values of a file: the format reads a value, long texts are split, and every field is checked. A
 * fault names the file, the place, the field, the value and the expected one, and the entries after it are read.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { escapeUnseen } from '@loomlog/errors/invalid-input'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import type { Entry, EntryResult, Format, FormatReader, ImportOptions } from '../formats/format.ts'
import { splitText } from '../long-text.ts'
import { maxTextBytes, utteranceFrom } from '../utterance.ts'
import { parsedValue, type RawValue } from './values.ts'

export interface PlacedUtterance {
  readonly utterance: UtteranceAppended
  readonly where: string
  /** Whether the entry names its tenant, and not the command. */
  readonly isTenantNamed: boolean
}

export type ReadResult = PlacedUtterance | { readonly fault: LoomlogError } | { readonly leftOut: string }

export interface UtteranceOptions extends ImportOptions {
  readonly tenant: string
  /** Log time of the utterances. */
  readonly appendedAt: number
}

export type ValueReader = (raw: RawValue) => Iterable<ReadResult>

export function valueReader(format: Format, options: UtteranceOptions): ValueReader {
  const reader = format.reader(options)
  return function* (raw) {
    try {
      for (const result of entriesOf(raw, { format, reader })) yield* utterancesOf(result, raw.where, options)
    } catch (error) {
      if (!isLoomlogError(error)) throw error
      yield { fault: error }
    }
  }
}

interface OpenFormat {
  readonly format: Format
  readonly reader: FormatReader
}

/** @throws LoomlogError where the value is wrong as a whole, with its place */
function* entriesOf(raw: RawValue, { format, reader }: OpenFormat): Iterable<EntryResult> {
  const value = parsedValue(raw, format.expected)
  try {
    yield* reader({ value, number: raw.number })
  } catch (error) {
    throw located(raw.where, error)
  }
}

function* utterancesOf(result: EntryResult, place: string, options: UtteranceOptions): Iterable<ReadResult> {
  if ('leftOut' in result) return yield result
  const where = result.at === '' ? place : `${place}: ${escapeUnseen(result.at)}`
  if ('fault' in result) return yield { fault: located(where, result.fault) }
  try {
    const isTenantNamed = result.tenant !== undefined && result.tenant !== null
    for (const input of inParts(result.input))
      yield { utterance: utteranceOf(result, input, options), where, isTenantNamed }
  } catch (error) {
    yield { fault: located(where, error) }
  }
}

function utteranceOf({ space, tenant, isFileTime }: Entry, input: unknown, options: UtteranceOptions) {
  const { space: given, defaultSpace, tenant: givenTenant, appendedAt } = options
  // The names of a file are unchecked, and `utteranceFrom` refuses what is no name.
  const place = { tenant: (tenant ?? givenTenant) as string, space: (space ?? given ?? defaultSpace) as string }
  const utterance = utteranceFrom(input, place, appendedAt)
  return isFileTime === true ? { ...utterance, isTimeGiven: false } : utterance
}

/** On one line, as the place and the field may be words of the file. */
function located(where: string, error: unknown): LoomlogError {
  if (!isLoomlogError(error)) throw error
  return new LoomlogError(error.code, escapeUnseen(`${where}: ${error.message}`), { cause: error })
}

/**
 * Splits an entry whose text is too long for one utterance into several. The label `part` numbers them, and the first
 * one has the attachments. An id gets the number of its part: `m7#2`. Every other entry stays as it is, also an invalid
 * one.
 */
function inParts(input: unknown): readonly unknown[] {
  const { text, id, metadata, attachments, ...rest } = (input ?? {}) as { readonly [field: string]: unknown }
  if (typeof text !== 'string' || Buffer.byteLength(text) <= maxTextBytes || text.trim() === '') return [input]
  const isLabelled =
    metadata === undefined || (metadata !== null && typeof metadata === 'object' && !Array.isArray(metadata))
  if (!isLabelled || (id !== undefined && typeof id !== 'string')) return [input]
  const parts = splitText(text, maxTextBytes).filter((part) => part.trim() !== '')
  return parts.map((part, at) => ({
    ...rest,
    ...(id !== undefined && { id: `${id}#${at + 1}` }),
    ...(at === 0 && attachments !== undefined && { attachments }),
    metadata: { ...metadata, part: `${at + 1} of ${parts.length}` },
    text: part,
  }))
}
