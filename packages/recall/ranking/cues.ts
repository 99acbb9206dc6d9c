/** Cues in the text of a candidate: whether it has the kind of answer that the question wants, or is about the time it asks for. */
import { findTimes } from '@loomlog/language/times'
import type { Question, Want } from '../request/question.ts'
import type { Candidate } from '../search/candidates.ts'
import { type Column, columnOf } from './columns.ts'

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

const timeWords =
  /\b(?:\d{4}|yesterday|today|tomorrow|tonight|ago|last|next|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|weeks?|months?|years?)\b/i
/** A capital within a sentence. */
const name = /[a-z,] \p{Lu}\p{Ll}{2,}/u
/** Kinds of answers that a pattern can find in a text. */
const answerPatterns: { readonly [want in Exclude<Want, 'list' | 'guess'>]: RegExp } = {
  time: timeWords,
  number: /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|couple|few|once|twice)\b/i,
  place: name,
  person: name,
  reason: /\b(?:because|since|so that|to help|wanted|reason|inspired)\b/i,
}
export type AnswerKind = keyof typeof answerPatterns

export function holdsTime(pool: readonly Candidate[]): Column {
  return columnOf(pool, ({ words }) => Number(timeWords.test(words)))
}

/** Whether the text has this kind of answer; 0 for all if the question doesn't want it. */
export function holdsAnswer(kind: AnswerKind, { wants }: Question, pool: readonly Candidate[]): Column {
  const isWanted = wants.has(kind)
  return columnOf(pool, ({ words }) => Number(isWanted && answerPatterns[kind].test(words)))
}

const names = new RegExp(name, 'gu')
const mostNames = 3

export function nameCount({ words }: Candidate): number {
  return Math.min(mostNames, words.match(names)?.length ?? 0)
}

/** The text, or the text before the caption of an image, ends with a question mark. */
export function endsAsking({ words }: Candidate): boolean {
  return /\?\s*(?:\[image.*)?$/.test(words)
}

const instruction =
  /(?:^|[.!?;,]\s+(?:and\s+|but\s+)?)(?:please\s+)?(?:always|never)\b|\b(?:from now on|going forward)\b|\b(?:when|whenever|if|every time) I (?:ask|want|request|mention)\b/i
const preference =
  /\bI(?:['’]d| would)? (?:(?:really|also|generally|usually|much) )?(?:prefer|rather|favou?r)\b|\bmy preference\b/i

/** A person says how to do things from then on: it holds for every later question, in other words too. */
export function isInstruction({ role, words }: Pick<Candidate, 'role' | 'words'>): boolean {
  return role === 'human' && instruction.test(words)
}

export function isPreference({ role, words }: Candidate): boolean {
  return role === 'human' && preference.test(words)
}
