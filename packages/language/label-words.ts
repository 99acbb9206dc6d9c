/**
 * Words that name several texts for people: nouns and names that recur. Identifiers, abbreviations, numbers, units and
 * calendar words recur in texts on any subject, so they name none. Pure: the same texts give the same words.
 */
import { monthNames, weekdayNames } from './calendar.ts'
import { isStopWord } from './stop-words.ts'
import { tag, type Word } from './words.ts'

/** A word that only one text has may be its aside. */
const leastTexts = 2
/** In a script with two cases, shorter words are abbreviations. */
const leastLetters = 3

const onlyLetters = /^\p{L}[\p{L}\p{M}-]*$/u
/** Code, identifiers, addresses and figures: a sign between letters, or a digit. */
const noWord = /\p{L}[^\p{L}\p{M}'’-]+\p{L}|\p{N}/u
/** NULL, UI, camelCase. */
const capitalInside = /.\p{Lu}/u

const measures = new Set(
  `second minute hour day night week weekend month year morning noon afternoon evening midnight today tomorrow tonight yesterday date time
  metre meter kilometre kilometer centimetre centimeter mile gram kilo kilogram litre liter degree percent euro dollar pound cent
  zero one two three four five six seven eight nine ten eleven twelve hundred thousand half quarter pair bit`
    .split(/\s+/)
    .concat([...monthNames, ...weekdayNames].map((name) => name.toLowerCase())),
)

/** The most frequent first, counted by text; of equally frequent ones, the first. */
export function labelWords(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, { readonly text: string; count: number }>()
  for (const text of texts) {
    const words = tag(proseIn(text)).flat()
    const whole = words.filter((word, at) => !isGlued(words[at - 1], word) && !isGlued(word, words[at + 1]))
    const named = new Map(whole.filter(isLabelWord).map(({ lemma, text }) => [lemma, text]))
    for (const [lemma, word] of named) {
      const known = counts.get(lemma)
      if (known) known.count++
      else counts.set(lemma, { text: word, count: 1 })
    }
  }
  return [...counts.values()]
    .filter(({ count }) => count >= leastTexts)
    .toSorted((a, b) => b.count - a.count)
    .map(({ text }) => text)
}

function proseIn(text: string): string {
  return text
    .split(/\s+/)
    .filter((part) => !noWord.test(part))
    .join(' ')
}

/** The tagger splits a word at a letter that English lacks. */
function isGlued(word: Word | undefined, next: Word | undefined): boolean {
  return next?.isSpaced === false && /\p{L}$/u.test(word?.text ?? '') && /^\p{L}/u.test(next.text)
}

function isLabelWord({ text, lower, lemma, pos }: Word): boolean {
  if (pos !== 'NOUN' && pos !== 'PROPN') return false
  if (!onlyLetters.test(text) || capitalInside.test(text) || isStopWord(lower)) return false
  const hasCase = lower !== text.toUpperCase()
  return (!hasCase || text.length >= leastLetters) && !measures.has(lemma) && !measures.has(lower.replace(/s$/, ''))
}
