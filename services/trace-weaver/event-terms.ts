/**
 * The terms of an event that distinguish it from others: each with a stem to compare by and the written word, for
 * titles.
 */
import { keywords, terms } from '@loomlog/language/terms'

export type EventTerm = {
  readonly stem: string
  readonly word: string
  /** Its weight by its kind: name, keyword or other word. */
  readonly weight: number
}

/** The most distinctive words of a very long event. */
const maxWords = 24

/** Names denote one thing, keywords a kind of thing; other words (won, picked, cute) apply to anything. */
const weightOf = { name: 1.4, keyword: 1, other: 0.4 } as const

const partOfDate =
  /^(?:\d{1,4}|january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|weekend|month|year|day|today|yesterday|tomorrow|tonight|morning|evening|afternoon|night|time|spring|summer|autumn|winter)$/i

/**
 * Without dates, which are compared as times, and without speakers, who are compared as persons.
 * @param speakers the names of the box's speakers
 */
export function eventTerms(
  event: { readonly text: string; readonly keywords: readonly string[] },
  speakers: readonly string[],
): readonly EventTerm[] {
  const names = new Set(speakers.flatMap((speaker) => speaker.toLowerCase().split(/\s+/)))
  const chosen = new Set(event.keywords.flatMap((keyword) => terms(keyword)))
  const found = new Map<string, EventTerm>()
  for (const word of keywords([event.text, ...event.keywords], 2 * maxWords)) {
    if (partOfDate.test(word) || names.has(word.toLowerCase())) continue
    const [stem] = terms(word)
    if (stem === undefined || found.has(stem)) continue
    // The first word of a sentence has a capital without being a name.
    const isName = /^\p{Lu}/u.test(word) && !event.text.startsWith(word)
    const kind = chosen.has(stem) ? (isName ? 'name' : 'keyword') : 'other'
    found.set(stem, { stem, word, weight: weightOf[kind] })
  }
  return [...found.values()].slice(0, maxWords)
}
