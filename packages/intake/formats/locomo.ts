/**
 * LoCoMo (Maharana et al., ACL 2024): a list of samples, each with a space of its own, `<space>-<sample_id>`. A session
 * is a conversation. Captions of shared images are attachments.
 */
import type { LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { type EntryResult, entriesAt, type Fields, type Format, fieldsOf, isFields, listOf } from './format.ts'

/** LoCoMo has a time for each session only; this is the assumed time between its turns. */
const turnMs = 30_000

export const locomo: Format = {
  expected: 'a list of LoCoMo samples',
  isFirstValue: ({ sample_id: id, conversation }) => typeof id === 'string' && isFields(conversation),
  reader: ({ space, defaultSpace }) =>
    function* ({ value }) {
      const { sample_id: id, conversation } = fieldsOf(value, 'the sample')
      if (typeof id !== 'string') throw invalidInput('sample_id', id, 'the name of a LoCoMo sample')
      const sample = fieldsOf(conversation, 'conversation', 'the sessions of a LoCoMo sample')
      for (const session of sessionsOf(sample)) {
        const place = `${id} session ${session}`
        const inSpace = { place, session, space: `${space ?? defaultSpace}-${id}` }
        yield* entriesAt(place, () => sessionEntries(sample, inSpace))
      }
    },
}

function sessionsOf(sample: Fields): number[] {
  return Object.keys(sample)
    .map((key) => Number(/^session_(\d+)$/.exec(key)?.[1] ?? Number.NaN))
    .filter((session) => !Number.isNaN(session))
    .sort((a, b) => a - b)
}

interface SessionPlace {
  readonly place: string
  readonly session: number
  readonly space: string
}

function* sessionEntries(sample: Fields, { place, session, space }: SessionPlace): Iterable<EntryResult> {
  const startedAt = locomoTime(sample[`session_${session}_date_time`])
  const turns = listOf(sample[`session_${session}`], 'the session')
  for (const [index, entry] of turns.entries()) {
    const turn = isFields(entry) ? entry : {}
    const { dia_id: turnId, speaker, text, blip_caption: caption } = turn
    const attachments = caption ? [{ kind: 'image', description: caption }] : []
    const at = new Date(startedAt + index * turnMs).toISOString()
    const input = { id: turnId, conversation: `session-${session}`, speaker, role: 'human', at, text, attachments }
    yield { at: `${place} ${turnId ?? `turn ${index + 1}`}`, input, space }
  }
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
