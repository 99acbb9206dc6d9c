/**
 * BEAM in its published format (Tavakoli et al., 2025): a folder for each conversation, with `chat.json` and
 * `probing_questions.json`. A batch becomes a conversation of the memory on the day of its anchor, with one message a
 * minute. A question's category is its ability; its gold evidence is the messages of `source_chat_ids`, at any depth.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import type { Dataset, Question, Sample } from '../evidence/dataset.ts'

export const abilities = [
  'abstention',
  'contradiction_resolution',
  'event_ordering',
  'information_extraction',
  'instruction_following',
  'knowledge_update',
  'multi_session_reasoning',
  'preference_following',
  'summarization',
  'temporal_reasoning',
] as const

interface RawMessage {
  readonly id: number
  readonly role: string
  readonly content: string
  readonly time_anchor?: string | null
}
interface RawBatch {
  readonly batch_number: number
  readonly time_anchor?: string | null
  readonly turns: readonly (readonly RawMessage[])[]
}
interface RawQuestion {
  readonly question: string
  readonly answer?: unknown
  readonly ideal_response?: unknown
  readonly source_chat_ids?: unknown
}

/** @throws LoomlogError `input-invalid` if the folder has no conversation, or a file is not in the published format */
export function readBeam(folder: string): Dataset {
  const names = existsSync(folder) ? readdirSync(folder) : []
  const conversations = names.filter((name) => existsSync(join(folder, name, 'chat.json')))
  if (conversations.length === 0) {
    throw new LoomlogError('input-invalid', `${folder} has no conversation: expected folders with chat.json`)
  }
  const droppedIds: string[] = []
  const withoutGold: string[] = []
  const samples = conversations
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((id): Sample => {
      const turns = turnsOf(readJson(join(folder, id, 'chat.json')), join(folder, id))
      const known = new Set(turns.map((turn) => turn.id))
      const raw = readJson<{ readonly [ability: string]: readonly RawQuestion[] }>(
        join(folder, id, 'probing_questions.json'),
      )
      const asked = Object.entries(raw).flatMap(([category, of]) => of.map((each) => ({ category, ...each })))
      const questions = asked.map((each, index): Question => {
        const { category, question: text, source_chat_ids: sources } = each
        const ids = [...new Set(numbersIn(sources).map((number) => idOf(id, number)))]
        const gold = ids.filter((one) => known.has(one))
        droppedIds.push(...ids.filter((one) => !known.has(one)))
        if (gold.length === 0 && category !== 'abstention') withoutGold.push(`${id}: ${text}`)
        const update = category === 'knowledge_update' ? updateOf(id, sources) : null
        const answer = String(each.answer ?? each.ideal_response ?? '')
        return { sample: id, index, text, answer, category, gold, ...(update !== null && { update }) }
      })
      return { id, turns, questions }
    })
  return { samples, droppedIds, withoutGold }
}

function readJson<T>(file: string): T {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch (cause) {
    throw new LoomlogError('input-invalid', `${file} can't be read: ${(cause as Error).message}`, { cause })
  }
}

function idOf(conversation: string, message: number): string {
  return `${conversation}:${message}`
}

/** The marker at the end of some messages of people: "->-> 1,1". */
const marker = /\s*->->\s*[\d,\s]*$/

function turnsOf(raw: unknown, folder: string): Sample['turns'] {
  if (!Array.isArray(raw)) throw new LoomlogError('input-invalid', `${folder}/chat.json: expected a list of batches`)
  const [conversation = ''] = folder.split(/[/\\]/).slice(-1)
  let date = ''
  return (raw as readonly RawBatch[]).flatMap(({ batch_number: session, time_anchor: anchor, turns }) => {
    const messages: readonly RawMessage[] = turns.flat()
    date = anchor ?? messages.find((message) => message.time_anchor)?.time_anchor ?? date
    return messages
      .map(({ id, role, content }) => {
        return {
          id: idOf(conversation, id),
          session,
          date,
          speaker: role,
          words: content.replace(marker, '').trim(),
          isPerson: role === 'user',
        }
      })
      .filter(({ words }) => words !== '')
  })
}

function numbersIn(ids: unknown): readonly number[] {
  if (typeof ids === 'number') return [ids]
  return typeof ids === 'object' && ids !== null ? Object.values(ids).flatMap(numbersIn) : []
}

/** The messages with the old value and with the new one. */
function updateOf(conversation: string, sources: unknown): Required<Question>['update'] | null {
  const { original_info: original, updated_info: updated } = (sources ?? {}) as { readonly [role: string]: unknown }
  const [older, newer] = [original, updated].map((ids) => numbersIn(ids).map((number) => idOf(conversation, number)))
  return older?.length && newer?.length ? { older, newer } : null
}

const months = 'january february march april may june july august september october november december'.split(' ')
const firstHour = 9
const turnMs = 60_000

/** The conversation as lines of `loomlog ingest`, in its JSON Lines format. */
export function jsonLinesOf({ id, turns }: Sample): string {
  const indexes = new Map<number, number>()
  const lines = turns.map(({ id: turn, session, date, speaker, words }) => {
    const index = indexes.get(session) ?? 0
    indexes.set(session, index + 1)
    const at = new Date(dayOf(date, id) + index * turnMs).toISOString()
    const role = speaker === 'user' ? 'human' : 'agent'
    return JSON.stringify({ id: turn, conversation: `${id}-${session}`, speaker, role, at, text: words })
  })
  return `${lines.join('\n')}\n`
}

/** "March-15-2024", as 9:00 in UTC. */
function dayOf(anchor: string, conversation: string): number {
  const [month = '', day, year] = anchor.split('-')
  const index = months.indexOf(month.toLowerCase())
  const time = Date.UTC(Number(year), index, Number(day), firstHour)
  if (index >= 0 && !Number.isNaN(time)) return time
  throw new LoomlogError(
    'input-invalid',
    `${conversation} has the time anchor "${anchor}": expected one as March-15-2024`,
  )
}
