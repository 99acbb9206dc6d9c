/**
 * Compares a memory with a corrected one, by rules: shared content words, the subject, and names, numbers and denials,
 * which must not differ. Both come from the same evidence, so the few other statements from it compete: a memory that
 * is nearer to one of them is not the target. Between `same` and `other` is `unsure`, which is reported and has no
 * effect.
 */
import { terms } from './terms.ts'

export interface Claim {
  readonly text: string
  readonly subject: string
  readonly relation: string
  readonly object: string
}

export type Likeness = 'same' | 'unsure' | 'other'

/** The lowest score of `same`, even with additions. */
const sure = 0.8
/** Nearly word for word. */
const verbatim = 0.95
/** The lowest score of `same` if no other statement from the evidence is about as near. */
const enough = 0.55
const margin = 0.1
/** Lower scores are `other`. */
const little = 0.35
/** The bonus for names and numbers that no other statement from the evidence has. */
const named = 0.2

/** @param others the texts of the other statements from the same evidence */
export function likeness(memory: Claim, target: Claim, others: readonly string[]): Likeness {
  const score = nearness(memory, target, ownNames(target, others))
  const rival = Math.max(
    0,
    ...others.map((text) => nearness(memory, { ...target, text, relation: '', object: '' }, [])),
  )
  if (score >= verbatim || (score >= sure && rival < verbatim)) return 'same'
  if (score >= enough && score >= rival + margin) return 'same'
  return score >= little && score > rival - margin / 2 ? 'unsure' : 'other'
}

/** The names and numbers of the target alone: a memory with them is most likely the target. */
function ownNames(target: Claim, others: readonly string[]): readonly string[] {
  const { names, numbers } = signature(target, new Set(terms(target.subject)))
  const elsewhere = new Set(others.flatMap(tokensOf))
  return [...names, ...numbers].filter((name) => !elsewhere.has(name))
}

/** Factors of the nearness for different names or numbers, for a denial on one side only, and for another subject. */
const otherNames = 0.5
const onlyOneDenies = 0.3
const otherSubject = 0.5

function nearness(memory: Claim, target: Claim, own: readonly string[]): number {
  const about = new Set(terms(target.subject))
  const [stated, wanted] = [signature(memory, about), signature(target, about)]
  let score = overlap(stated.words, wanted.words)
  const object = new Set(terms(target.object).filter((term) => !about.has(term)))
  if (object.size > 0 && isWithin(object, stated.words)) score = Math.max(score, 0.6)
  if (isWithin(wanted.words, stated.words)) score = Math.max(score, wanted.words.size > 1 ? sure : 0.6)
  const tokens = new Set(tokensOf(memory.text))
  if (score >= little && own.length > 0 && own.every((name) => tokens.has(name))) score += named
  if (conflict(stated.names, wanted.names) || conflict(stated.numbers, wanted.numbers)) score *= otherNames
  if (stated.isDenial !== wanted.isDenial) score *= onlyOneDenies
  const mentioned = new Set(terms(`${memory.subject} ${memory.text}`))
  return about.size > 0 && ![...about].some((term) => mentioned.has(term)) ? score * otherSubject : score
}

interface Signature {
  readonly words: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
  readonly isDenial: boolean
}

const number =
  /^\d|^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand)$/
const denial = /^(?:not|no|never|none|nobody|nothing|without|cannot|stopped|quit|.*n't)$/

function signature({ text }: Claim, about: ReadonlySet<string>): Signature {
  const names = new Set<string>()
  const numbers = new Set<string>()
  let isDenial = false
  for (const [index, token] of words(text).entries()) {
    const lower = token.toLowerCase()
    if (number.test(lower)) numbers.add(lower)
    else if (denial.test(lower)) isDenial = true
    // The first word has a capital anyway.
    else if (index > 0 && /^\p{Lu}/u.test(token) && !terms(token).some((term) => about.has(term))) names.add(lower)
  }
  const all = terms(text)
  const own = all.filter((term) => !about.has(term))
  return { words: new Set(own.length > 0 ? own : all), names, numbers, isDenial }
}

function words(text: string): readonly string[] {
  const found = text.replaceAll('’', "'").match(/[\p{L}\p{N}][\p{L}\p{N}'.,:-]*/gu) ?? []
  return found.map((token) => token.replace(/'s$/, '').replace(/(?<![.,:'-])[.,:'-]+$/, ''))
}

function tokensOf(text: string): readonly string[] {
  return words(text).map((token) => token.toLowerCase())
}

/** Whether each has elements that the other lacks. */
function conflict(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return !isWithin(a, b) && !isWithin(b, a)
}

function isWithin(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return [...a].every((each) => b.has(each))
}

/** Dice's coefficient. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const all = a.size + b.size
  return all === 0 ? 1 : (2 * [...a].filter((each) => b.has(each)).length) / all
}
