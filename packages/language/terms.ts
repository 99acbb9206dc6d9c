/**
 * The subject of a text as words: `terms` for overlap (stems, no stop words) and `keywords` for people to read. Both
 * are pure: the same text gives the same words in the same order.
 */
import { TextMap } from '@loomlog/text-caches'
import { isStopWord } from './stop-words.ts'
import { stemmed, tag, type Word } from './words.ts'

const hasLetterOrDigit = /[\p{L}\p{N}]/u

/** Sizes of the caches of texts and of words: the same ones are compared again and again. */
const maxTexts = 4_096
const maxWords = 65_536
const texts = new TextMap<readonly string[]>()
const words = new TextMap<readonly string[]>()
/** Longer texts are no words; they are in the cache of texts. */
const wordLength = 24

/** The stems of the content words, in order, with repetitions. */
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
  return stemmed(withStraightQuotes(text))
    .filter(
      ([token]) => hasLetterOrDigit.test(token) && !token.startsWith("'") && token !== "n't" && !isStopWord(token),
    )
    .map(([, stem]) => stem)
}

const weights: { readonly [pos: string]: number } = { PROPN: 3, NOUN: 2, VERB: 1, ADJ: 1, NUM: 1 }

/**
 * The most frequent content words, in the form of their first occurrence. A name counts three times as much as a verb,
 * a noun twice; ties keep the order of the text.
 */
export function keywords(texts: readonly string[], limit: number): string[] {
  return keywordsIn(
    texts.flatMap((text) => tag(withStraightQuotes(text)).flat()),
    limit,
  )
}

/** The keywords of tagged words. */
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

function withStraightQuotes(text: string): string {
  return text.replaceAll('’', "'")
}
