/** The format and the layout of a file: as the command names it, or recognised by its first value. */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Layout } from '../formats/format.ts'
import { type FormatName, formatNames } from '../formats/names.ts'
import { formatsByName, formatsOf } from '../formats/registry.ts'
import type { ImportSource } from './source.ts'
import { maxValueBytes, parsedValue, type RawValue } from './values.ts'

export interface RecognisedFormat {
  readonly format: FormatName
  readonly layout: Layout
  /** Whether the content, and not the command, says the format. */
  readonly isRecognised: boolean
}

/**
 * A file without a value is an empty one of the named format, or of `jsonl`.
 * @throws LoomlogError `input-invalid` for a file of no known format, or of several
 */
export async function recognisedFormat(source: ImportSource, named: FormatName | null): Promise<RecognisedFormat> {
  if (named === 'jsonl') return { format: named, layout: 'lines', isRecognised: false }
  const isList = await source.isList()
  if (isList === null) return { format: named ?? 'jsonl', layout: 'lines', isRecognised: false }
  const { layout, value } = isList ? await firstItem(source) : await firstOf(source)
  if (named !== null) return { format: named, layout, isRecognised: false }
  if (value === noValue) return { format: 'jsonl', layout, isRecognised: false }
  const found = formatsOf(value)
  const [format] = found
  if (found.length === 1 && format !== undefined) return { format, layout, isRecognised: true }
  const problem = found.length === 0 ? 'no known format' : `not clear which format: ${found.join(' or ')}`
  const archive = source.fileName === null ? ', or an archive as a file' : ''
  throw new LoomlogError('input-invalid', `${source.name}: ${problem}; expected --format with ${namesText}${archive}`)
}

const namesText = `one of ${formatNames.join(', ')}`
const expected = `one of the formats ${formatNames.join(', ')}`
const noValue = Symbol('a list without items')

interface FirstValue {
  readonly layout: Layout
  readonly value: unknown
}

async function firstItem(source: ImportSource): Promise<FirstValue> {
  const first = await firstValue(source, 'items')
  return { layout: 'items', value: first === null ? noValue : parsedValue(first, expected) }
}

/** The first line, if it is JSON: a document on one line is a file of one line. Else the whole file is one document. */
async function firstOf(source: ImportSource): Promise<FirstValue> {
  const line = await firstValue(source, 'lines')
  try {
    return { layout: 'lines', value: line === null ? noValue : parsedValue(line, expectedLine) }
  } catch (error) {
    const document = await documentOf(source)
    if (!isLoomlogError(error) || document === null) throw error
    return { layout: 'document', value: document.value }
  }
}

const expectedLine = `${expected}; a line of jsonl is ${formatsByName.jsonl.expected}`

async function documentOf(source: ImportSource): Promise<{ readonly value: unknown } | null> {
  if (source.bytes > maxValueBytes) return null
  const whole = await firstValue(source, 'document')
  try {
    return whole === null ? null : { value: parsedValue(whole, expected) }
  } catch (error) {
    if (isLoomlogError(error)) return null
    throw error
  }
}

async function firstValue(source: ImportSource, layout: Layout): Promise<RawValue | null> {
  for await (const value of source.values(layout)) return value
  return null
}
