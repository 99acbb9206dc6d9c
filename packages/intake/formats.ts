/**
 * File formats of conversations. Each format turns a file's text into utterances, with their place in the file for
 * error messages. The end of a conversation is a `ConversationPaused`, and the end of a space a `SpacePaused`.
 */
import { isUtf8 } from 'node:buffer'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { contentHash } from '@loomlog/schemas/admission'
import type { ConversationPaused, SpacePaused, UtteranceAppended } from '@loomlog/schemas/events'
import { splitText } from './long-text.ts'
import { conversationPauseAfter, maxTextBytes, type SpaceAddress, spacePauseAfter, utteranceFrom } from './utterance.ts'

export const formats = ['jsonl', 'locomo'] as const
export type Format = (typeof formats)[number]

export type ImportedEvent = UtteranceAppended | ConversationPaused | SpacePaused

export interface ConversationFile {
  /** The file's name, for messages. */
  readonly file: string
  readonly text: string
  readonly place: SpaceAddress
  /** Log time of the utterances. */
  readonly appendedAt: number
  /** Reports the place of each utterance in the file. */
  onRead?(utterance: UtteranceAppended, where: string): void
}

/** @throws LoomlogError `input-invalid` or `id-conflict`, with the file and the line or dialogue id */
export function readFormat(format: Format, source: ConversationFile): ImportedEvent[] {
  return format === 'jsonl' ? readJsonLines(source) : readLocomo(source)
}

/**
 * A file's bytes as text, without the byte order mark that some editors put before it.
 * @throws LoomlogError `input-invalid`, with the first line that is not UTF-8: decoding would change the words
 */
export function decodeText(file: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) {
    const line = bytes
      .toString('latin1')
      .split('\n')
      .findIndex((text) => !isUtf8(Buffer.from(text, 'latin1')))
    throw new LoomlogError('input-invalid', `${file}:${line + 1}: not UTF-8`)
  }
  const text = bytes.toString('utf8')
  return text.startsWith('\u{feff}') ? text.slice(1) : text
}

const aLine =
  'one utterance a line, such as {"conversation":"c1","speaker":"Ada","at":"2026-01-05T10:00:00Z","text":"I moved to Porto."}'

/**
 * One utterance a line, as `utteranceFrom` takes them, or several if its text is too long. Blank lines are skipped.
 * Each conversation pauses after its last line, and the space after all lines.
 */
function readJsonLines(source: ConversationFile): ImportedEvent[] {
  const utterances: UtteranceAppended[] = []
  const first = new Map<string, { readonly content: string; readonly where: string }>()
  for (const [index, line] of source.text.split('\n').entries()) {
    if (line.trim() === '') continue
    const where = `${source.file}:${index + 1}`
    for (const part of located(where, () => inParts(parsed(line, aLine)))) {
      const utterance = located(where, () => utteranceFrom(part, source.place, source.appendedAt))
      source.onRead?.(utterance, where)
      const content = contentHash(utterance)
      const before = first.get(utterance.id)
      if (before && before.content !== content) {
        const message = `the id ${utterance.id} is at ${before.where} already, with other content`
        throw new LoomlogError('id-conflict', `${where}: ${message}`)
      }
      if (!before) first.set(utterance.id, { content, where })
      utterances.push(utterance)
    }
  }
  const last = new Map(utterances.map((utterance) => [utterance.conversation, utterance]))
  const paused = utterances.flatMap((utterance) =>
    last.get(utterance.conversation) === utterance ? [utterance, conversationPauseAfter(utterance)] : [utterance],
  )
  return [...paused, ...spaceEnd(utterances)]
}

/**
 * Splits a line whose text is too long for one utterance into several lines. The label `part` numbers them, and the
 * first one has the attachments. An id gets the number of its part: `m7#2`. Every other line stays as it is, also an
 * invalid one.
 */
function inParts(line: unknown): readonly unknown[] {
  const { text, id, metadata, attachments, ...rest } = (line ?? {}) as { readonly [field: string]: unknown }
  if (typeof text !== 'string' || Buffer.byteLength(text) <= maxTextBytes || text.trim() === '') return [line]
  const isLabelled =
    metadata === undefined || (metadata !== null && typeof metadata === 'object' && !Array.isArray(metadata))
  if (!isLabelled || (id !== undefined && typeof id !== 'string')) return [line]
  const parts = splitText(text, maxTextBytes).filter((part) => part.trim() !== '')
  return parts.map((part, at) => ({
    ...rest,
    ...(id !== undefined && { id: `${id}#${at + 1}` }),
    ...(at === 0 && attachments !== undefined && { attachments }),
    metadata: { ...metadata, part: `${at + 1} of ${parts.length}` },
    text: part,
  }))
}

interface LocomoTurn {
  readonly speaker: string
  readonly dia_id: string
  readonly text: string
  readonly blip_caption?: string
}

interface LocomoSample {
  readonly sample_id: string
  readonly conversation: { readonly [key: string]: unknown }
}

/** LoCoMo has a time for each session only; this is the assumed time between its turns. */
const turnMs = 30_000

/**
 * LoCoMo (Maharana et al., ACL 2024): a list of samples, each with a space of its own, `<space>-<sample_id>`. A session
 * is a conversation. Captions of shared images are attachments.
 */
function readLocomo(source: ConversationFile): ImportedEvent[] {
  const samples = located(source.file, () => parsed(source.text, 'a list of LoCoMo samples'))
  if (!Array.isArray(samples))
    throw new LoomlogError('input-invalid', `${source.file}: expected a list of LoCoMo samples`)
  return (samples as readonly LocomoSample[]).flatMap((sample, index) => {
    if (typeof sample?.sample_id !== 'string' || typeof (sample.conversation ?? '') !== 'object') {
      throw new LoomlogError('input-invalid', `${source.file}: sample ${index} has no sample_id or no conversation`)
    }
    const utterances = sessionsOf(sample).map((session) => readSession(source, sample, session))
    return [
      ...utterances.flatMap((session) => [...session, ...session.slice(-1).map(conversationPauseAfter)]),
      ...spaceEnd(utterances.flat()),
    ]
  })
}

/** The pause after the last utterance of a space in the file. */
function spaceEnd(utterances: readonly UtteranceAppended[]): readonly ImportedEvent[] {
  return utterances.slice(-1).map(spacePauseAfter)
}

function sessionsOf(sample: LocomoSample): number[] {
  return Object.keys(sample.conversation)
    .map((key) => Number(/^session_(\d+)$/.exec(key)?.[1] ?? Number.NaN))
    .filter((session) => !Number.isNaN(session))
    .sort((a, b) => a - b)
}

function readSession(source: ConversationFile, sample: LocomoSample, session: number): UtteranceAppended[] {
  const where = `${source.file}: ${sample.sample_id} session ${session}`
  const startedAt = located(where, () => locomoTime(sample.conversation[`session_${session}_date_time`]))
  const place = { ...source.place, space: `${source.place.space}-${sample.sample_id}` }
  const turns = sample.conversation[`session_${session}`]
  if (!Array.isArray(turns)) throw new LoomlogError('input-invalid', `${where} is no list of turns`)
  return (turns as readonly (LocomoTurn | null)[]).flatMap((entry, index) => {
    const turn = entry ?? ({} as Partial<LocomoTurn>)
    const attachments = turn.blip_caption ? [{ kind: 'image', description: turn.blip_caption }] : []
    const at = new Date(startedAt + index * turnMs).toISOString()
    const { dia_id: id, speaker, text } = turn
    const input = { id, conversation: `session-${session}`, speaker, role: 'human', at, text, attachments }
    const turnWhere = `${where} ${turn.dia_id ?? `turn ${index + 1}`}`
    const utterances = located(turnWhere, () =>
      inParts(input).map((part) => utteranceFrom(part, place, source.appendedAt)),
    )
    for (const utterance of utterances) source.onRead?.(utterance, turnWhere)
    return utterances
  })
}

const months = 'january february march april may june july august september october november december'.split(' ')

/** "1:56 pm on 8 May, 2023", taken as UTC. */
function locomoTime(value: unknown): number {
  const match = /^(\d{1,2}):(\d\d) (am|pm) on (\d{1,2}) (\w+), (\d{4})$/.exec(String(value).trim())
  const month = months.indexOf(match?.[5]?.toLowerCase() ?? '')
  if (!match || month === -1) throw noLocomoTime(value)
  const [hour, minute, day] = [Number(match[1]), Number(match[2]), Number(match[4])]
  const ms = Date.UTC(Number(match[6]), month, day, (hour % 12) + (match[3] === 'pm' ? 12 : 0), minute)
  // Date.UTC turns 30 February into 2 March.
  if (hour >= 1 && hour <= 12 && minute < 60 && new Date(ms).getUTCDate() === day) return ms
  throw noLocomoTime(value)
}

function noLocomoTime(value: unknown): LoomlogError {
  return invalidInput('date_time', value, 'a time like "1:56 pm on 8 May, 2023"')
}

function parsed(text: string, expected: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new LoomlogError('input-invalid', `not JSON: ${(cause as Error).message}; expected ${expected}`, { cause })
  }
}

function located<T>(where: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isLoomlogError(error)) throw error
    throw new LoomlogError(error.code, `${where}: ${error.message}`, { cause: error })
  }
}
