/**
 * What a text is about, as words to compare: `terms` for overlap (stems, no stop words) and `keywords` for people to read. Both
 * are pure: the same text gives the same words in the same order.
 */
import { isStopWord } from './stop-words.ts'
import { stemmed, tag, type Word } from './words.ts'

const hasLetterOrDigit = /[\p{L}\p{N}]/u

/** What is remembered, since the same is compared again and again: a few texts, and all the words that are in use. */
const maxTexts = 4_096
const maxWords = 65_536
const texts = new Map<string, readonly string[]>()
const words = new Map<string, readonly string[]>()
/** What is no longer than this is held to be a word. */
const wordLength = 24

/** The stems of the content words, in order, repeated as often as they were said. */
export function terms(text: string): readonly string[] {
  const [remembered, most] = text.length <= wordLength ? [words, maxWords] : [texts, maxTexts]
  const known = remembered.get(text)
  if (known) return known
  const found = termsOf(text)
  if (remembered.size >= most) remembered.clear()
  remembered.set(text, found)
  return found
}

function termsOf(text: string): readonly string[] {
  return stemmed(straight(text))
    .filter(
      ([token]) => hasLetterOrDigit.test(token) && !token.startsWith("'") && token !== "n't" && !isStopWord(token),
    )
    .map(([, stem]) => stem)
}

const weights: { readonly [pos: string]: number } = { PROPN: 3, NOUN: 2, VERB: 1, ADJ: 1, NUM: 1 }

/**
 * The most telling words, in the form in which they were first said: by how often they occur, names three times as much as
 * verbs, nouns twice; ties in the order of the text.
 */
export function keywords(texts: readonly string[], limit: number): string[] {
  return keywordsIn(
    texts.flatMap((text) => tag(straight(text)).flat()),
    limit,
  )
}

/** The same for words that are tagged already. */
export function keywordsIn(words: readonly Word[], limit: number): string[] {
  const found = new Map<string, { readonly text: string; readonly order: number; score: number }>()
  for (const each of words) {
    const weight = weights[each.pos] ?? 0
    if (weight === 0 || !hasLetterOrDigit.test(each.lower) || each.lower.startsWith("'") || isStopWord(each.lower))
      continue
    const entry = found.get(each.lemma)
    if (entry) entry.score += weight
    else found.set(each.lemma, { text: each.text, order: found.size, score: weight })
  }
  return [...found.values()]
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, limit)
    .map((entry) => entry.text)
}

function straight(text: string): string {
  return text.replaceAll('’', "'")
}
