/**
 * A clause as the rules for changes compare it: its things, its values (amounts, dates and times), its words of change. A clause that begins with a
 * pronoun is about the things of the clause before.
 */
import { terms } from '../terms.ts'
import { stemOf, tag, type Word } from '../words.ts'
import { type Cues, cuesIn, unchangedPattern } from './cues.ts'
import { isContent, labelsIn, modifiersIn, ownersIn, stem, stemSet, thingAt } from './things.ts'
import { type Value, valuesIn, withDigits } from './values.ts'

export interface Clause {
  /** In lower case, with numbers as digits. */
  readonly text: string
  /** The sentence of the clause, in the same form. */
  readonly sentence: string
  /** The person that the sentence names as its source: `According to Ana, …`. */
  readonly source: string | null
  readonly values: readonly Value[]
  readonly cues: Cues
  /** Stems of nouns and names. */
  readonly things: ReadonlySet<string>
  /** Stems of all content words: things, verbs and adjectives. */
  readonly stems: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  /** By thing, the things and adjectives that tell it from others of its kind: `grant` of `deadline`. */
  readonly modifiers: ReadonlyMap<string, ReadonlySet<string>>
  /** The things before the verb; `i`: the speaker. */
  readonly subject: ReadonlySet<string>
  /** By thing of the subject, the number, letter or ordinal that tells it from others of its kind: `4` of `bed`. */
  readonly labels: ReadonlyMap<string, string>
  /** By thing, the stem of its owner; `i`: the speaker. After a form of `be`, an owner is the value: `the release is Tom's job`. */
  readonly owners: ReadonlyMap<string, string>
  /** The stem of the main verb; empty: none. */
  readonly verb: string
  /** After a form of `be`: the part of speech that follows, and the stems; null: another verb. */
  readonly complement: { readonly form: string; readonly stems: ReadonlySet<string> } | null
  /** Stems of all words that are no stop words. Computed on demand, because few comparisons need them. */
  readonly terms: () => ReadonlySet<string>
  readonly isDenied: boolean
  /** Whether every part between commas and colons is denied. */
  readonly isDeniedThroughout: boolean
  /** Whether the speaker speaks of himself. */
  readonly isOfSpeaker: boolean
  /** Whether it is about a further thing beside another: `another deadline`, `me too`. */
  readonly isOfAnother: boolean
}

const denied =
  /\b(?:not|no|never|no longer|any ?more|cancelled|canceled|stopped|without|nobody|none)\b|n't\b|\b(?:cant|dont|wont|isnt|arent|doesnt|didnt)\b/
const ofAnother = /\b(?:other|another|different|also|both|either)\b|\btoo[.!]*$/
const ofSpeaker = /\b(?:i|i'm|im|i've|my|mine)\b/

const speakers = /^(?:i|we|im|ive)(?:'\w+)?$/
/** The tokenizer leaves some contractions whole. */
const contracted = /^(?:i'm|im|we're|he's|she's|it's|they're|you're|that's)$/
const determiner = /^(?:the|a|an|our|my|his|her|their|its|your|this|that)$/
const pronouns = /^(?:it|that|they|he|she|this)$/
/** Longer clauses hold more than one statement. */
const maxClauseWords = 22

export function readClauses(sentence: string): readonly Clause[] {
  const text = withDigits(sentence)
  const clauses = split(
    tag(text.replace(/\bi(?=\b)/g, 'I'))
      .flat()
      .map(costsAsVerb),
  )
  const read: Clause[] = []
  for (const words of clauses) {
    const own = words
      .map(({ text: word, isSpaced }) => (isSpaced ? ' ' : '') + word)
      .join('')
      .trim()
      .toLowerCase()
    if (words.length > maxClauseWords || (clauses.length > 1 && unchangedPattern.test(own))) continue
    const before = read.at(-1)
    const clause = readClause(words, own, text.toLowerCase())
    const isAboutBefore = clause.things.size === 0 || pronouns.test(words[0]?.lower ?? '')
    if (before && isAboutBefore) read.push({ ...clause, ...continued(clause, before) })
    else
      read.push(
        before && clause.subject.size === 0 ? { ...clause, subject: before.subject, labels: before.labels } : clause,
      )
  }
  return read
}

function continued(clause: Clause, before: Clause): Partial<Clause> {
  return {
    things: new Set([...before.things, ...clause.things]),
    stems: new Set([...before.things, ...clause.stems]),
    subject: before.subject,
    labels: before.labels,
    modifiers: before.modifiers,
    cues: {
      ...clause.cues,
      isReset: clause.cues.isReset || before.cues.isReset,
      isRescheduled: clause.cues.isRescheduled || before.cues.isRescheduled,
    },
  }
}

/** The tagger takes `costs` before an amount for a noun. */
function costsAsVerb(word: Word, i: number, words: readonly Word[]): Word {
  const isPrice = /^costs?$/.test(word.lower) && /^(?:NUM|SYM)$/.test(words[i + 1]?.pos ?? '')
  return isPrice ? { ...word, pos: 'VERB', lemma: 'cost' } : word
}

const joint = /^(?:[,;:–—]|and|but|so|because|since|while|although|though|which|where|then)$/

/** Splits at joints between two parts that both have a verb. */
function split(words: readonly Word[]): readonly (readonly Word[])[] {
  const clauses: Word[][] = [[]]
  for (const [i, each] of words.entries()) {
    const current = clauses.at(-1) ?? []
    if (joint.test(each.lower) && current.some(isVerb) && upToJoint(words, i + 1).some(isVerb)) clauses.push([])
    else current.push(each)
  }
  return clauses
}

function upToJoint(words: readonly Word[], from: number): readonly Word[] {
  const end = words.findIndex((word, at) => at >= from && joint.test(word.lower))
  return words.slice(from, end < 0 ? undefined : end)
}

/** Whether the word is a verb; `washing` in `washing machine` is none. */
function isVerb({ pos, lower }: Word, i: number, words: readonly Word[]): boolean {
  if (pos === 'AUX' || contracted.test(lower)) return true
  const before = words[i - 1]
  const isLetter = before?.text === 'A' && i > 1
  if (before && determiner.test(before.lower) && !isLetter) return false
  if (i === 0 && /^(?:starting|beginning)$/.test(lower)) return false
  return pos === 'VERB' && !(lower.endsWith('ing') && i === 0 && words[1]?.pos === 'NOUN')
}

function readClause(words: readonly Word[], text: string, sentence: string): Clause {
  const isThing = words.map((_, i) => thingAt(words, i))
  const things = words.filter((_, i) => isThing[i])
  const verb = words.findIndex(isVerb)
  const main = mainVerb(words, verb)
  return {
    text,
    sentence,
    source: /\baccording to ([\w' -]+?)(?:,|$)/.exec(sentence)?.[1] ?? null,
    values: valuesIn(withoutOld(text)),
    cues: cuesIn(text, sentence),
    things: stemSet(things.map(stem)),
    stems: stemSet(words.filter(isContent).map(stem)),
    names: stemSet(things.filter(({ pos }) => pos === 'PROPN').map(stem)),
    modifiers: modifiersIn(words, isThing),
    subject: stemSet(
      words
        .slice(0, contracted.test(words[verb]?.lower ?? '') ? verb + 1 : Math.max(0, verb))
        .filter((each, i) => isThing[i] || speakers.test(each.lower))
        .map((each) => (speakers.test(each.lower) ? 'i' : stem(each))),
    ),
    labels: labelsIn(words.slice(0, Math.max(0, verb)), isThing),
    owners: ownersIn(main === 'be' ? words.slice(0, verb) : words, isThing),
    verb: main,
    complement: complementOf(words, verb),
    terms: termsOnDemand(text),
    isDenied: denied.test(text),
    isDeniedThroughout: text.split(/[,:]/).every((part) => denied.test(part)),
    isOfSpeaker: ofSpeaker.test(text),
    isOfAnother: ofAnother.test(text),
  }
}

/** A function of its own: a closure in `readClause` would keep the tagged words in memory. */
function termsOnDemand(text: string): Clause['terms'] {
  let found: ReadonlySet<string> | null = null
  return () => {
    found ??= new Set(terms(text))
    return found
  }
}

/** The sentence without the old value that it names: `not the 14th`, `from 80k` to 65k, `instead of 9`. */
function withoutOld(text: string): string {
  return text
    .replace(
      /,? ?(?:\bnot|\binstead of|\brather than) (?:the |on |at |in |for )*(?:\d\S*(?: of)?(?: [a-z]+)?|[a-z]+day\b)/g,
      ' ',
    )
    .replace(/\bfrom (?:the |about )?[£$€]?\d\S*(?: [a-z]+)?(?= to )/g, ' ')
    .replace(/\bby [£$€]?\d[\d.]* ?%?(?= |$|\.)/g, ' ')
}

const forms: Readonly<Record<string, string>> = {
  ADP: 'place',
  ADJ: 'state',
  DET: 'identity',
  NOUN: 'identity',
  PROPN: 'identity',
}

function complementOf(words: readonly Word[], verb: number): Clause['complement'] {
  if (!/^(?:is|are|'s|am|'m|'re|it's|i'm|be)$/.test(words[verb]?.lower ?? '') && words[verb]?.lemma !== 'be')
    return null
  const rest = words.slice(verb + 1).filter(({ pos }) => !/^(?:ADV|PART|AUX)$/.test(pos))
  const form = forms[rest[0]?.pos ?? '']
  return form === undefined ? null : { form, stems: stemSet(rest.filter(isContent).map(stem)) }
}

/** The stem of the main verb: `move` of `is moved`, `be` of `is open`. */
function mainVerb(words: readonly Word[], from: number): string {
  const group = words.slice(Math.max(0, from)).findIndex((each) => !/^(?:AUX|ADV|PART|VERB)$/.test(each.pos))
  const verbs = from < 0 ? [] : words.slice(from, group < 0 ? undefined : from + group)
  const verb = verbs.findLast((each) => each.pos === 'VERB') ?? verbs[0]
  return verb === undefined ? '' : stemOf(verb.lemma)
}
