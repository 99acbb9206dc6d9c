/**
 * The antecedents of `she`, `they` and `it`. Only the clear case counts: exactly one phrase of the right kind in the
 * nearest clause that has any. Otherwise null, and the caller drops the clause or a part of it. A name in no list may
 * be a person's, a company's or a country's: it makes `she` unclear, and is never its antecedent.
 */
import { isNamePart } from '../names.ts'
import type { Word } from '../words.ts'
import { type NounPhrase, withDefiniteArticle } from './noun-phrases.ts'

/** Phrases by clause, the nearest last; restated, without pronouns such as `my`. */
export class Antecedents {
  readonly #clauses: (readonly NounPhrase[])[] = []
  readonly #speaker: string

  /** The speaker is never `she` to herself. */
  constructor(speaker: string) {
    this.#speaker = speaker
  }

  add(phrases: readonly NounPhrase[]): void {
    this.#clauses.push(phrases)
  }

  /** `within`: the phrases of the same clause, before the pronoun. */
  find(pronoun: string, within: readonly NounPhrase[]): readonly Word[] | null {
    const fits = kindOf(pronoun)
    if (!fits) return null
    const reach = fits.reach === 'near' ? this.#clauses.slice(-1) : this.#clauses.slice(-4)
    for (const phrases of [within, ...reach.toReversed()]) {
      const all = phrases.filter((phrase) => fits.test(phrase) && phrase.words.at(-1)?.text !== this.#speaker)
      const spokenOf = all.filter((phrase) => !isPlace(phrase))
      const fitting = spokenOf.length > 0 ? spokenOf : all
      const different = new Set(
        fitting.map((phrase) =>
          withDefiniteArticle(phrase.words)
            .map((each) => each.lower)
            .join(' '),
        ),
      )
      if (different.size > 1 || fitting.some(fits.isUnclear)) return null
      const [found] = fitting
      if (found) return withDefiniteArticle(found.words)
    }
    return null
  }
}

function isPlace(phrase: NounPhrase): boolean {
  return phrase.after === 'preposition' && phrase.is === 'thing' && phrase.words.at(-1)?.pos === 'PROPN'
}

interface Fit {
  readonly reach: 'near' | 'far'
  test(phrase: NounPhrase): boolean
  /** Whether a fitting phrase may be something else after all. */
  isUnclear(phrase: NounPhrase): boolean
}

const one = (gender: 'male' | 'female'): Fit => ({
  reach: 'far',
  test: (phrase) =>
    phrase.number === 'one' &&
    (phrase.is === 'person' ? phrase.gender === gender || phrase.gender === 'unknown' : isUnknownName(phrase)),
  isUnclear: isUnknownName,
})

/**
 * Whether the phrase is the subject of its clause, with a name in no list, which may be a person's: `Lena called Mia`.
 */
export function isUnknownName({ words, is, start }: NounPhrase): boolean {
  return is === 'thing' && start === 0 && words.every(isNamePart)
}

const many: Fit = {
  reach: 'near',
  test: (phrase) => phrase.number === 'many' && phrase.after !== 'and',
  isUnclear: () => false,
}
const thing: Fit = {
  reach: 'near',
  test: (phrase) => phrase.is === 'thing' && phrase.number === 'one',
  isUnclear: () => false,
}

function kindOf(pronoun: string): Fit | null {
  if (/^(?:he|him|his)$/.test(pronoun)) return one('male')
  if (/^(?:she|her|hers)$/.test(pronoun)) return one('female')
  if (/^(?:they|them|their|theirs)$/.test(pronoun)) return many
  return /^(?:it|its)$/.test(pronoun) ? thing : null
}
