/**
 * Checks a fact against its evidence (TriMem): its names, numbers and dates are in its sources. A word is inferred if another line of the
 * conversation has it, if it names an earlier speaker, or if it is part of a date and a source tells any time. Any other word is missing.
 *
 * Names are words with a capital within an English text, and the persons of a fact; other languages use capitals differently or not at all.
 */
import { monthNames, weekdayNames } from '@loomlog/language/calendar'
import { isReadByRules, languageOf } from '@loomlog/language/language'
import { findTimes } from '@loomlog/language/times'
import type { BoxUtterance, FactRecorded, InferredWord } from '@loomlog/schemas/events'
import { utteranceText } from '@loomlog/schemas/utterance-text'
import type { Context } from './state.ts'

type Statement = Pick<FactRecorded, 'text' | 'persons' | 'when'>

export interface Grounding {
  readonly inferred: readonly InferredWord[]
  readonly missing: readonly string[]
}

/** The evidence of a fact: its own lines, the other lines of its conversation in the window, the lines before, and the earlier speakers. */
export interface Evidence extends Pick<Context, 'before' | 'participants'> {
  readonly sources: readonly BoxUtterance[]
  readonly others: readonly BoxUtterance[]
}

export function groundingOf(fact: Statement, { sources, others, before, participants }: Evidence): Grounding {
  const near = sources.map(wordsIn)
  const named = tokensOf(participants.join(' '))
  const persons = tokensOf(fact.persons.join(' '))
  const elsewhere = (word: string) =>
    others.find((line) => wordsIn(line).has(word))?.id ??
    before.find(({ speaker, text }) => tokensOf(`${speaker} ${text}`).has(word))?.id ??
    // A source says "you" to a person who spoke long before.
    (named.has(word) ? sources[0]?.id : undefined)
  const inferred: InferredWord[] = []
  const missing: string[] = []
  const words = exactWords(fact)
  const time = words.some(({ isDate }) => isDate) ? sources.find(tellsTime)?.id : undefined
  for (const { word, isDate } of words) {
    if (near.some((line) => line.has(word))) continue
    const byDate = isDate ? time : undefined
    // May and April are also persons.
    const from = persons.has(word) ? (elsewhere(word) ?? byDate) : (byDate ?? elsewhere(word))
    if (from === undefined) missing.push(word)
    else inferred.push({ word, from })
  }
  return { inferred, missing }
}

const calendar = new Set([...monthNames, ...weekdayNames].map((name) => name.toLowerCase()))
/** Without `one`, which is rarely a number. */
const numerals = new Map(
  'two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, at) => [word, String(at + 2)]),
)
const date = new RegExp(
  `(?:\\d{1,2}(?:st|nd|rd|th)? )?(?:${monthNames.join('|')}),?(?: \\d{1,2},?)?(?: \\d{4})?|\\d{4}-\\d\\d(?:-\\d\\d)?|\\b(?:19|20)\\d\\d\\b`,
  'giu',
)

/** Names, numbers and the parts of dates, in lower case; each once. */
function exactWords({
  text,
  persons,
  when,
}: Statement): readonly { readonly word: string; readonly isDate: boolean }[] {
  const dates = new Set(
    [...text.matchAll(date), ...(when ? [when.text] : [])].flatMap((each) => [...tokensOf(String(each))]),
  )
  const isEnglish = isReadByRules(languageOf(text, null))
  const words = [...text.matchAll(tokens)].flatMap(({ 0: token, index }) => {
    const isName = isEnglish && /^\p{Lu}/u.test(token) && token !== 'I' && !opensSentence.test(text.slice(0, index))
    return isName || /\d/.test(token) || numerals.has(token.toLowerCase()) ? [...tokensOf(token)] : []
  })
  const named = persons.flatMap((person) => [...tokensOf(person)])
  const dateWords = when === null ? [] : [...tokensOf(when.text)]
  return [...new Set([...words, ...named, ...dateWords])].map((word) => ({
    word,
    isDate: dates.has(word) || calendar.has(word),
  }))
}

/** Places in a sentence where a capital letter marks no name. */
const opensSentence = /(?:^|[.!?:]\s+)["'“‘(]*$/
const tokens = /[\p{L}\p{N}]+/gu

/** A numeral counts as its number. */
function tokensOf(text: string): ReadonlySet<string> {
  const found = [...text.replaceAll(/['’]s\b/gu, '').matchAll(tokens)].map(([token]) => token.toLowerCase())
  return new Set(found.map((token) => numerals.get(token) ?? token))
}

/** Every fact of a window is compared with the same lines, which don't change. */
const wordsByLine = new WeakMap<BoxUtterance, ReadonlySet<string>>()

function wordsIn(line: BoxUtterance): ReadonlySet<string> {
  const words = wordsByLine.get(line) ?? tokensOf(`${line.speaker} ${utteranceText(line)}`)
  wordsByLine.set(line, words)
  return words
}

/**
 * Whether the line has an expression of time, such as "yesterday". The rules read times in English only, so a line in
 * another language counts as having one.
 */
function tellsTime({ text, at }: BoxUtterance): boolean {
  return !isReadByRules(languageOf(text, null)) || findTimes(text, at).length > 0
}
