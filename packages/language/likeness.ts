/**
 * Does a memory say what a corrected one said? Both come from the same evidence, so the question is which of the few things told
 * there it is, in whatever words. By rules alone: the content words they share, what the statement is about, and names, numbers
 * and denials, which must not be others. What is known besides from the same evidence is held against it: a memory that is nearer
 * to one of those is that one. Between the two lies `unsure`, which is reported and never acted upon.
 */
import { terms } from './terms.ts'

export interface Told {
  readonly text: string
  readonly subject: string
  readonly relation: string
  readonly object: string
}

export type Likeness = 'same' | 'unsure' | 'other'

/** From here on it is said in so many words, whatever else is added. */
const sure = 0.8
/** As good as word for word. */
const verbatim = 0.95
/** Enough, where nothing else from the same evidence is about as near. */
const enough = 0.55
const margin = 0.1
/** Less than this is something else. */
const little = 0.35
/** What names and numbers add that nothing else from the same evidence has. */
const named = 0.2

/** @param others what else was known from the same evidence, as text */
export function likeness(memory: Told, target: Told, others: readonly string[]): Likeness {
  const score = nearness(memory, target, ownNames(target, others))
  const rival = Math.max(
    0,
    ...others.map((text) => nearness(memory, { ...target, text, relation: '', object: '' }, [])),
  )
  if (score >= verbatim || (score >= sure && rival < verbatim)) return 'same'
  if (score >= enough && score >= rival + margin) return 'same'
  return score >= little && score > rival - margin / 2 ? 'unsure' : 'other'
}

/** The names and numbers of the target alone: of few things told at once, what has them is most likely that. */
function ownNames(target: Told, others: readonly string[]): readonly string[] {
  const { names, numbers } = signature(target, new Set(terms(target.subject)))
  const elsewhere = new Set(others.flatMap(tokensOf))
  return [...names, ...numbers].filter((name) => !elsewhere.has(name))
}

/** What is left of the nearness where names or numbers are others, where only one denies, and where it is about something else. */
const otherNames = 0.5
const onlyOneDenies = 0.3
const otherSubject = 0.5

function nearness(memory: Told, target: Told, own: readonly string[]): number {
  const about = new Set(terms(target.subject))
  const [said, wanted] = [signature(memory, about), signature(target, about)]
  let score = overlap(said.words, wanted.words)
  const object = new Set(terms(target.object).filter((term) => !about.has(term)))
  if (object.size > 0 && isWithin(object, said.words)) score = Math.max(score, 0.6)
  if (isWithin(wanted.words, said.words)) score = Math.max(score, wanted.words.size > 1 ? sure : 0.6)
  const tokens = new Set(tokensOf(memory.text))
  if (score >= little && own.length > 0 && own.every((name) => tokens.has(name))) score += named
  if (conflict(said.names, wanted.names) || conflict(said.numbers, wanted.numbers)) score *= otherNames
  if (said.denies !== wanted.denies) score *= onlyOneDenies
  const mentioned = new Set(terms(`${memory.subject} ${memory.text}`))
  return about.size > 0 && ![...about].some((term) => mentioned.has(term)) ? score * otherSubject : score
}

interface Signature {
  readonly words: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
  readonly denies: 'yes' | 'no'
}

const number =
  /^\d|^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand)$/
const denial = /^(?:not|no|never|none|nobody|nothing|without|cannot|stopped|quit|.*n't)$/

function signature({ text }: Told, about: ReadonlySet<string>): Signature {
  const names = new Set<string>()
  const numbers = new Set<string>()
  let denies: Signature['denies'] = 'no'
  for (const [index, token] of words(text).entries()) {
    const lower = token.toLowerCase()
    if (number.test(lower)) numbers.add(lower)
    else if (denial.test(lower)) denies = 'yes'
    // A first word's capital says nothing.
    else if (index > 0 && /^\p{Lu}/u.test(token) && !terms(token).some((term) => about.has(term))) names.add(lower)
  }
  const all = terms(text)
  const own = all.filter((term) => !about.has(term))
  return { words: new Set(own.length > 0 ? own : all), names, numbers, denies }
}

function words(text: string): readonly string[] {
  const found = text.replaceAll('’', "'").match(/[\p{L}\p{N}][\p{L}\p{N}'.,:-]*/gu) ?? []
  return found.map((token) => token.replace(/'s$/, '').replace(/[.,:'-]+$/, ''))
}

function tokensOf(text: string): readonly string[] {
  return words(text).map((token) => token.toLowerCase())
}

/** Each has what the other lacks: then they are not about the same. */
function conflict(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return !isWithin(a, b) && !isWithin(b, a)
}

function isWithin(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return [...a].every((each) => b.has(each))
}

/** Dice's: twice what they share, over all they have. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const all = a.size + b.size
  return all === 0 ? 1 : (2 * [...a].filter((each) => b.has(each)).length) / all
}
