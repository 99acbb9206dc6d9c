/**
 * Reads an archive, and proves that it is whole. The first reading checks every line, before a log is opened; later
 * ones check that the file is the same. A reading holds a line in memory, and the ids and keys.
 */
import { createHash } from 'node:crypto'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { formatValue, invalidInput } from '@loomlog/errors/invalid-input'
import { checkedAddress } from '@loomlog/intake/utterance'
import { Codec } from '@loomlog/schemas/codec'
import { spaceKey } from '@loomlog/schemas/ids'
import { inMemoryRegistry } from '@loomlog/schemas/in-memory-registry'
import { oneLine } from '@loomlog/schemas/one-line'
import { type ArchiveCounts, type ArchivedStage, type ArchiveHeader, archiveFormat, archiveVersion } from './archive.ts'
import { type FileLine, linesOf } from './archive-lines.ts'
import { type CheckedRecord, checkedRecord } from './archived-record.ts'

export interface ArchiveFile {
  readonly file: string
  readonly header: ArchiveHeader
  readonly counts: ArchiveCounts
  /** Of every line before the trailer. */
  readonly sha256: string
}

/** The line of a record, for messages. */
export type RecordAtLine = CheckedRecord & { readonly line: number }

/** Reads the whole file. @throws LoomlogError `input-invalid`, with the line and the reason */
export async function checkArchive(file: string): Promise<ArchiveFile> {
  let header: ArchiveHeader | null = null
  for await (const part of partsOf(file)) {
    if (part.kind === 'header') header = part.header
    if (part.kind === 'end' && header !== null) return { file, header, counts: part.counts, sha256: part.sha256 }
  }
  throw fault(file, { number: 1 }, 'expected the header of an archive')
}

/**
 * The records of a checked archive, and at their end the proof that they were the checked ones.
 * @throws LoomlogError `input-invalid` where the file has changed since
 */
export async function* recordsOf({ file, sha256 }: ArchiveFile): AsyncGenerator<RecordAtLine> {
  for await (const part of partsOf(file)) {
    if (part.kind === 'record') yield part.record
    if (part.kind === 'end' && part.sha256 !== sha256)
      throw new LoomlogError('input-invalid', `${oneLine(file)} has changed since it was checked: nothing is appended`)
  }
}

type Part =
  | { readonly kind: 'header'; readonly header: ArchiveHeader }
  | { readonly kind: 'record'; readonly record: RecordAtLine }
  | { readonly kind: 'end'; readonly counts: ArchiveCounts; readonly sha256: string }

async function* partsOf(file: string): AsyncGenerator<Part> {
  const codec = await Codec.open(inMemoryRegistry())
  const hash = createHash('sha256')
  const counts = { completions: 0, utterances: 0 }
  const seen = new Set<string>()
  let key: string | null = null
  let end: Part | null = null
  let last = 0
  for await (const line of linesOf(file)) {
    last = line.number
    const value = parsed(file, line)
    if (end !== null) throw fault(file, line, 'expected no line after the trailer')
    if (key === null) {
      const header = await located(file, line, async () => checkedHeader(value))
      key = spaceKey(header.tenant, header.space)
      yield { kind: 'header', header }
    } else if (isTrailer(value)) {
      const sha256 = hash.digest('hex')
      checkEnd(file, line, value.end, { ...counts, sha256 })
      if (counts.utterances === 0) throw fault(file, line, 'expected a source event before the trailer')
      end = { kind: 'end', counts, sha256 }
      continue
    } else {
      const space = key
      const record = await located(file, line, () => checkedRecord(value, space, codec))
      if (record.topic === 'completions' && counts.utterances > 0)
        throw fault(file, line, 'expected the recorded answers before the source events')
      checkUnique(file, line, record, seen)
      counts[record.topic] += 1
      yield { kind: 'record', record: { ...record, line: line.number } }
    }
    hash.update(line.bytes).update('\n')
  }
  if (end === null) throw fault(file, { number: last }, 'the archive is cut: expected a trailer after this line')
  yield end
}

/** An export has the first record of an id or key, and of two the log would have the first only. */
function checkUnique(file: string, line: FileLine, { topic, event }: CheckedRecord, seen: Set<string>): void {
  const [field, value] = event.type === 'AnswerRecorded' ? ['key', event.key] : ['id', event.id]
  if (seen.has(`${topic} ${value}`))
    throw fault(file, line, `${field} is ${formatValue(value)}: expected one that no line before has`)
  seen.add(`${topic} ${value}`)
}

function parsed(file: string, line: FileLine): unknown {
  try {
    return JSON.parse(line.bytes.toString())
  } catch (cause) {
    throw fault(file, line, `not JSON: ${(cause as Error).message}`)
  }
}

/** @throws LoomlogError `input-invalid`, also for names that an append would change */
function checkedHeader(value: unknown): ArchiveHeader {
  const header = (value ?? {}) as Partial<ArchiveHeader>
  const { format, version, tenant, space, generation } = header
  if (format !== archiveFormat) throw invalidInput('format', format, archiveFormat)
  if (version !== archiveVersion)
    throw invalidInput('version', version, `${archiveVersion}: a newer loomlog may read this archive`)
  const checked = checkedAddress({ tenant: tenant ?? '', space: space ?? '' })
  if (checked.tenant !== tenant) throw invalidInput('tenant', tenant, `such as ${formatValue(checked.tenant)}`)
  if (checked.space !== space) throw invalidInput('space', space, `such as ${formatValue(checked.space)}`)
  if (!isGeneration(generation)) throw invalidInput('generation', generation, 'stages with their recipes, or null')
  return header as ArchiveHeader
}

/** The parts of it that are read. */
function isGeneration(value: unknown): boolean {
  if (value === null) return true
  const { stages } = (value ?? {}) as { readonly stages?: unknown }
  return Array.isArray(stages) && stages.every(isStage)
}

function isStage(value: unknown): boolean {
  const { stage, derivation, recipe = null } = (value ?? {}) as Partial<ArchivedStage>
  if (typeof stage !== 'string' || typeof derivation !== 'string') return false
  if (recipe === null) return true
  return typeof recipe.revision === 'number' && typeof (recipe.model?.name ?? '') === 'string'
}

function isTrailer(value: unknown): value is { readonly end: unknown } {
  return value !== null && typeof value === 'object' && 'end' in value
}

function checkEnd(file: string, line: FileLine, given: unknown, found: ArchiveCounts & { sha256: string }): void {
  const end = (given ?? {}) as Partial<typeof found>
  for (const field of ['completions', 'utterances', 'sha256'] as const) {
    if (end[field] !== found[field])
      throw fault(
        file,
        line,
        `the trailer's ${field} is ${formatValue(end[field])}, and that of the lines is ${found[field]}`,
      )
  }
}

async function located<T>(file: string, line: FileLine, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isLoomlogError(error)) throw error
    throw new LoomlogError(error.code, oneLine(`${file}:${line.number}: ${error.message}`), { cause: error })
  }
}

function fault(file: string, { number }: Pick<FileLine, 'number'>, why: string): LoomlogError {
  return new LoomlogError('input-invalid', oneLine(`${file}:${number}: ${why}`))
}
