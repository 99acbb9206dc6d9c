/**
 * Cues of a candidate for a question: whether it has the kind of answer that the question wants, or is about the time
 * it asks for.
 */
import { findTimes } from '@loomlog/language/times'
import type { Question } from '../request/question.ts'
import type { Candidate } from '../search/candidates.ts'
import { type CandidateValues, valuesOf } from './candidate-values.ts'
import type { AnswerKind } from './text-cues.ts'

const dayMs = 86_400_000
/** People talk about a time on its day or within a week after it. */
const talkedAboutWithinMs = 8 * dayMs

export interface TimeCues {
  /** The text mentions the time that the question asks for. */
  readonly mentions: CandidateValues
  /** It was uttered then, without mentioning the time. */
  readonly uttered: CandidateValues
}

export function timeCues({ times }: Question, pool: readonly Candidate[]): TimeCues {
  if (times.length === 0) return { mentions: new Float64Array(pool.length), uttered: new Float64Array(pool.length) }
  const mentions = valuesOf(pool, (candidate) => {
    const found = timesIn(candidate)
    return Number(times.some((time) => found.some((other) => other.from < time.to && time.from < other.to)))
  })
  const uttered = valuesOf(pool, ({ memory: { at: said } }, at) => {
    const isThen = times.some((time) => said !== null && said >= time.from && said < time.to + talkedAboutWithinMs)
    return Number(isThen && mentions[at] === 0)
  })
  return { mentions, uttered }
}

/** Only the start of a longer text is read for times: reading 64 KB of dates takes half a second. */
const maxReadCharacters = 4_000

type Spoken = Pick<Candidate, 'words' | 'memory'>
type Times = ReturnType<typeof findTimes>

/** Cached, so that texts can be read one by one before all features are computed at once. */
const known = new WeakMap<Spoken['memory'], Times>()

export function timesIn({ words, memory }: Spoken): Times {
  const before = known.get(memory)
  if (before !== undefined) return before
  const found = findTimes(words.slice(0, maxReadCharacters), memory.at ?? 0)
  known.set(memory, found)
  return found
}

/** Whether the text has this kind of answer; 0 for all if the question doesn't want it. */
export function hasAnswer(kind: AnswerKind, { wants }: Question, pool: readonly Candidate[]): CandidateValues {
  return wants.has(kind) ? valuesOf(pool, ({ cues }) => cues.holds(kind)) : new Float64Array(pool.length)
}
