/**
 * Files that conversations come in. Each format turns a file's text into utterances with the place they stand at, so that an
 * error can say where it is; sessions end in a pause.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { ConversationPaused, UtteranceAppended } from '@loomlog/schemas/events'
import { type Place, pauseAfter, utteranceFrom } from './utterance.ts'

export const formats = ['jsonl', 'locomo'] as const
export type Format = (typeof formats)[number]

export type Incoming = UtteranceAppended | ConversationPaused

export interface Source {
  /** For messages. */
  readonly file: string
  readonly text: string
  readonly place: Place
  /** Log time of what comes in. */
  readonly appendedAt: number
}

/** @throws LoomlogError `input-invalid`, with the file and the line or dialogue id */
export function readFormat(format: Format, source: Source): Incoming[] {
  return format === 'jsonl' ? readJsonLines(source) : readLocomo(source)
}

/** One utterance a line, as `utteranceFrom` takes them; blank lines are passed. Each conversation pauses after its last line. */
function readJsonLines(source: Source): Incoming[] {
  const utterances: UtteranceAppended[] = []
  for (const [index, line] of source.text.split('\n').entries()) {
    if (line.trim() === '') continue
    const where = `${source.file}:${index + 1}`
    utterances.push(located(where, () => utteranceFrom(parsed(line), source.place, source.appendedAt)))
  }
  const last = new Map(utterances.map((utterance) => [utterance.conversation, utterance]))
  return utterances.flatMap((utterance) =>
    last.get(utterance.conversation) === utterance ? [utterance, pauseAfter(utterance)] : [utterance],
  )
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

/** LoCoMo has a time for each session only; its turns are taken to follow each other by this much. */
const turnMs = 30_000

/**
 * LoCoMo (Maharana et al., ACL 2024): a list of samples, each of which becomes a space of its own, `<space>-<sample_id>`; each of its
 * sessions a conversation. Captions of shared images come as attachments.
 */
function readLocomo(source: Source): Incoming[] {
  const samples = located(source.file, () => parsed(source.text))
  if (!Array.isArray(samples))
    throw new LoomlogError('input-invalid', `${source.file}: expected a list of LoCoMo samples`)
  return (samples as readonly LocomoSample[]).flatMap((sample, index) => {
    if (typeof sample?.sample_id !== 'string' || typeof sample.conversation !== 'object') {
      throw new LoomlogError('input-invalid', `${source.file}: sample ${index} has no sample_id or no conversation`)
    }
    return sessionsOf(sample).flatMap((session) => readSession(source, sample, session))
  })
}

function sessionsOf(sample: LocomoSample): number[] {
  return Object.keys(sample.conversation)
    .map((key) => Number(/^session_(\d+)$/.exec(key)?.[1] ?? Number.NaN))
    .filter((session) => !Number.isNaN(session))
    .sort((a, b) => a - b)
}

function readSession(source: Source, sample: LocomoSample, session: number): Incoming[] {
  const where = `${source.file}: ${sample.sample_id} session ${session}`
  const startedAt = located(where, () => locomoTime(sample.conversation[`session_${session}_date_time`]))
  const place = { ...source.place, space: `${source.place.space}-${sample.sample_id}` }
  const turns = sample.conversation[`session_${session}`] as readonly LocomoTurn[]
  const utterances = turns.map((turn, index) => {
    const attachments = turn.blip_caption ? [{ kind: 'image', description: turn.blip_caption }] : []
    const at = new Date(startedAt + index * turnMs).toISOString()
    const { dia_id: id, speaker, text } = turn
    const input = { id, conversation: `session-${session}`, speaker, role: 'human', at, text, attachments }
    return located(`${where} ${turn.dia_id}`, () => utteranceFrom(input, place, source.appendedAt))
  })
  const last = utterances.at(-1)
  return last ? [...utterances, pauseAfter(last)] : []
}

const months = 'january february march april may june july august september october november december'.split(' ')

/** "1:56 pm on 8 May, 2023", taken as UTC. */
function locomoTime(value: unknown): number {
  const match = /^(\d{1,2}):(\d\d) (am|pm) on (\d{1,2}) (\w+), (\d{4})$/.exec(String(value).trim())
  const month = months.indexOf(match?.[5]?.toLowerCase() ?? '')
  if (!match || month === -1) {
    throw new LoomlogError(
      'input-invalid',
      `date_time is ${JSON.stringify(value)}: expected one like "1:56 pm on 8 May, 2023"`,
    )
  }
  const hour = (Number(match[1]) % 12) + (match[3] === 'pm' ? 12 : 0)
  return Date.UTC(Number(match[6]), month, Number(match[4]), hour, Number(match[2]))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new LoomlogError('input-invalid', `not JSON: ${(cause as Error).message}`, { cause })
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
