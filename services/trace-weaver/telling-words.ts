/** The words of an event that tell it from others: each as a stem to compare by, and as it was written, for titles. */
import { keywords, terms } from '@loomlog/language/terms'

export type TellingWord = {
  readonly stem: string
  readonly word: string
  /** How much it says about the matter, by what kind of word it is. */
  readonly weight: number
}

/** Words of an event that count; the most telling ones, should it be very long. */
const maxWords = 24

/** Names stand for one thing; keywords for a kind of thing; other words (won, picked, cute) for what can be said of anything. */
const weightOf = { name: 1.4, keyword: 1, other: 0.4 } as const

const partOfDate =
  /^(?:\d{1,4}|january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|weekend|month|year|day|today|yesterday|tomorrow|tonight|morning|evening|afternoon|night|time|spring|summer|autumn|winter)$/i

/**
 * Dates are compared as times, and speakers as persons, so neither are telling words.
 * @param speakers the names of those who speak in the box
 */
export function tellingWords(
  event: { readonly text: string; readonly keywords: readonly string[] },
  speakers: readonly string[],
): readonly TellingWord[] {
  const names = new Set(speakers.flatMap((speaker) => speaker.toLowerCase().split(/\s+/)))
  const chosen = new Set(event.keywords.flatMap((keyword) => terms(keyword)))
  const found = new Map<string, TellingWord>()
  for (const word of keywords([event.text, ...event.keywords], 2 * maxWords)) {
    if (partOfDate.test(word) || names.has(word.toLowerCase())) continue
    const [stem] = terms(word)
    if (stem === undefined || found.has(stem)) continue
    // The first word of a sentence is no name for being capital.
    const isName = /^\p{Lu}/u.test(word) && !event.text.startsWith(word)
    const kind = chosen.has(stem) ? (isName ? 'name' : 'keyword') : 'other'
    found.set(stem, { stem, word, weight: weightOf[kind] })
  }
  return [...found.values()].slice(0, maxWords)
}
