/** Cues of a candidate for a question: whether it has the kind of answer that the question wants, or is about the time it asks for. */
import { findTimes } from '@loomlog/language/times'
import type { Question } from '../request/question.ts'
import type { Candidate } from '../search/candidates.ts'
import { type Column, columnOf } from './columns.ts'
import type { AnswerKind } from './text-cues.ts'

const dayMs = 86_400_000
/** People talk about a time on its day or within a week after it. */
const talkedAboutWithinMs = 8 * dayMs

export interface TimeCues {
  /** The text mentions the time that the question asks for. */
  readonly mentions: Column
  /** It was uttered then, without mentioning the time. */
  readonly uttered: Column
}

export function timeCues({ times }: Question, pool: readonly Candidate[]): TimeCues {
  const found = times.length === 0 ? [] : pool.map(({ words, memory }) => findTimes(words, memory.at ?? 0))
  const mentions = pool.map((_, at) =>
    times.some((time) => found[at]?.some((other) => other.from < time.to && time.from < other.to)),
  )
  const isThen = pool.map(({ memory: { at } }) =>
    times.some((time) => at !== null && at >= time.from && at < time.to + talkedAboutWithinMs),
  )
  return { mentions: mentions.map(Number), uttered: isThen.map((is, at) => Number(is && !mentions[at])) }
}

/** Whether the text has this kind of answer; 0 for all if the question doesn't want it. */
export function holdsAnswer(kind: AnswerKind, { wants }: Question, pool: readonly Candidate[]): Column {
  return wants.has(kind) ? columnOf(pool, ({ cues }) => cues.answers[kind]) : pool.map(() => 0)
}
