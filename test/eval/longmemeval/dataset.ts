/**
 * LongMemEval's questions in its published format, each with its own sessions. The evidence is the turns marked
 * `has_answer`. A question whose id ends in `_abs` has no answer and no evidence. An inconsistent file is an error.
 */
import { readFileSync } from 'node:fs'
import { LoomlogError } from '@loomlog/errors'

export interface Turn {
  readonly id: string
  readonly session: string
  readonly role: 'human' | 'agent'
  /** ISO 8601 */
  readonly at: string
  readonly text: string
}

export interface Question {
  readonly id: string
  readonly type: string
  readonly text: string
  readonly answer: string
  readonly turns: readonly Turn[]
  /** Ids of turns; empty without an answer. */
  readonly gold: readonly string[]
}

interface RawTurn {
  readonly role: string
  readonly content: string
  readonly has_answer?: boolean
}
interface RawQuestion {
  readonly question_id: string
  readonly question_type: string
  readonly question: string
  readonly answer: unknown
  readonly haystack_dates: readonly string[]
  readonly haystack_session_ids: readonly string[]
  readonly haystack_sessions: readonly (readonly RawTurn[])[]
  readonly answer_session_ids: readonly string[]
}

/** @throws LoomlogError `input-invalid`, with the question and the expected value */
export function readLongMemEval(file: string): readonly Question[] {
  const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!Array.isArray(read)) throw new LoomlogError('input-invalid', `${file}: expected a list of LongMemEval questions`)
  return (read as readonly RawQuestion[]).map(questionOf)
}

function questionOf(raw: RawQuestion): Question {
  const { question_id: id, haystack_sessions: sessions, haystack_session_ids: ids, haystack_dates: dates } = raw
  if (sessions.length !== ids.length || sessions.length !== dates.length) {
    const lengths = `${sessions.length} sessions, ${ids.length} ids and ${dates.length} dates`
    throw new LoomlogError('input-invalid', `question ${id} has ${lengths}: expected as many of each`)
  }
  const strange = raw.answer_session_ids.find((session) => !ids.includes(session))
  if (strange !== undefined) {
    throw new LoomlogError('input-invalid', `question ${id} is answered in ${strange}: expected one of its sessions`)
  }
  const marked = sessions.flatMap((turns, at) =>
    turns.map(({ role, content, has_answer: isGold = false }, index) => ({
      turn: {
        // The same session may come twice, so its index is part of the id.
        id: `${id}-${at + 1}-${index + 1}`,
        session: `${at + 1} ${ids[at]}`,
        role: role === 'user' ? ('human' as const) : ('agent' as const),
        at: timeOf(dates[at] ?? '', id),
        text: content,
      },
      isGold,
    })),
  )
  const turns = marked.filter(({ turn }) => turn.text.trim() !== '')
  const gold = id.endsWith('_abs') ? [] : turns.filter(({ isGold }) => isGold).map(({ turn }) => turn.id)
  const { question_type: type, question: text } = raw
  return { id, type, text, answer: String(raw.answer), turns: turns.map(({ turn }) => turn), gold }
}

/** "2023/05/20 (Sat) 02:21" */
function timeOf(date: string, id: string): string {
  const [, year, month, day, time] = /^(\d{4})\/(\d\d)\/(\d\d) \(\w+\) (\d\d:\d\d)$/.exec(date) ?? []
  if (time !== undefined) return `${year}-${month}-${day}T${time}:00Z`
  throw new LoomlogError('input-invalid', `question ${id} has the date ${date}: expected one as 2023/05/20 (Sat) 02:21`)
}
