/**
 * A sentence cut into clauses that can each stand alone: at dashes and semicolons, where `and`, `but`, `so` or a comma begins a
 * new subject with its verb, and where `and` joins a second verb to the same subject (which is then said again). What stands in
 * front with a comma (`When I was small, …`, `With my kids, …`) goes to the end.
 */
import type { Word } from '../words.ts'
import { finiteVerb, groupEnd, isAdverb, isFinite, isIng, nominative } from './verbs.ts'

type Words = readonly Word[]

export function clauses(sentence: Words): readonly Words[] {
  return pieces(sentence).flatMap((piece) => {
    const { front, main } = withoutFront(piece)
    const [first, ...others] = coordinated(main)
    return first === undefined ? [] : [[...first, ...atTheEnd(front)], ...others]
  })
}

/** Words that stood first, as they read at the end. */
export function atTheEnd(words: Words): Words {
  return words.map((each, i) => {
    if (i > 0) return each
    const keeps = each.time || each.pos === 'PROPN' || each.lower === 'i'
    return { ...each, text: keeps ? each.text : each.lower, spaced: 'yes' as const }
  })
}

function pieces(words: Words): readonly Words[] {
  const found: Word[][] = [[]]
  for (const [i, each] of words.entries()) {
    const dash = /^[-–—]$/.test(each.text) && each.spaced === 'yes' && words[i + 1]?.spaced === 'yes'
    if (dash || /^(?:[;:–—]|--|[.!?…]+)$/.test(each.text)) found.push([])
    else found.at(-1)?.push(each)
  }
  return found.filter((piece) => piece.length > 0)
}

const fronts = /^(?:when|while|whenever|since|as|after|before|because|once|although|though|even|to|every)$/

function withoutFront(words: Words): { front: Words; main: Words } {
  const [first] = words
  const whole = { front: [], main: words }
  if (!first) return whole
  const hypothetical = /^(?:if|unless|until)$/.test(first.lower)
  const gerund = isIng(first) || /^(?:based|given|compared)$/.test(first.lower)
  if (!hypothetical && !gerund && first.pos !== 'ADP' && !fronts.test(first.lower)) return whole
  const comma = words.findIndex((each, i) => each.text === ',' && startsClause(words, i + 1, 'any'))
  if (comma < 0) return hypothetical || /^(?:when|while|because|although|though)$/.test(first.lower) ? { front: [], main: [] } : whole
  if (hypothetical) return { front: [], main: [] }
  return { front: gerund ? [] : words.slice(0, comma), main: words.slice(comma + 1) }
}

/** Does a subject with a finite verb begin at `i`? `pronoun`: only the sure case. */
export function startsClause(words: Words, from: number, subject: 'any' | 'pronoun'): boolean {
  let i = from
  const first = words[i]
  if (!first) return false
  if (nominative.has(first.lower) || (/^(?:this|that|these|those|there)$/.test(first.lower) && first.pos === 'PRON')) {
    i++
    while (isAdverb(words[i])) i++
    return isFinite(words, i)
  }
  if (subject === 'pronoun') return false
  const nounAt = i
  while (i < from + 8 && isSubjectPart(words[i])) i++
  if (i === nounAt) return false
  while (isAdverb(words[i])) i++
  const head = words.slice(nounAt, i).some((each) => each.pos === 'NOUN' || each.pos === 'PROPN' || each.pos === 'PRON')
  return head && isFinite(words, i)
}

function isSubjectPart(each: Word | undefined): boolean {
  if (!each) return false
  if (/^(?:who|which|that|what|me|us|them|him|where|when|how|why)$/.test(each.lower)) return false
  return /^(?:DET|PRON|ADJ|NUM|NOUN|PROPN)$/.test(each.pos) || each.lower === "'s" || each.lower === 'of' || isIng(each)
}

/** Cuts at `and she`, `, but we`, `and bought`. */
function coordinated(words: Words): readonly Words[] {
  const found: Words[] = []
  let prefix: Words = []
  let start = 0
  for (let i = 1; i < words.length; i++) {
    if (!isJoint(words[i])) continue
    const comma = words[i]?.text === ',' || words[i - 1]?.text === ','
    let next = i + 1
    while (isJoint(words[next]) || /^(?:then|also|now|even)$/.test(words[next]?.lower ?? '')) next++
    const current = [...prefix, ...words.slice(start, i)]
    if (finiteVerb(current, 0) < 0 || opensSubordinate(current)) continue
    const opensPhrase = /^(?:DET|PRON)$/.test(words[next]?.pos ?? '') || isIng(words[next])
    const shared = startsClause(words, next, comma || opensPhrase ? 'any' : 'pronoun') ? [] : sharedStart(current, words, next, comma)
    if (shared === null) continue
    found.push(current)
    prefix = shared
    start = next
    i = next
  }
  found.push([...prefix, ...words.slice(start)])
  return found
}

function isJoint(each: Word | undefined): boolean {
  return each !== undefined && (each.text === ',' || /^(?:and|but|so|yet)$/.test(each.lower))
}

function opensSubordinate(words: Words): boolean {
  return /^(?:when|while|if|because|although|though|since|after|before)$/.test(words[0]?.lower ?? '')
}

/** What the second verb shares with the first: the subject, with auxiliaries where the verb needs them; null: nothing. */
function sharedStart(current: Words, words: Words, from: number, comma: boolean): Words | null {
  let next = from
  while (isAdverb(words[next])) next++
  const second = words[next]
  if (second?.pos !== 'VERB' && second?.pos !== 'AUX') return null
  const verb = finiteVerb(current, 0)
  const first = current[verb]
  if (!first || verb === 0) return null
  const end = groupEnd(current, verb)
  const main = current[end - 1]
  if (isIng(second)) return first.pos === 'AUX' && isIng(main) && main?.pos === 'VERB' ? current.slice(0, end - 1) : null
  if (!isFinite(words, next)) return null
  const subject = current.slice(0, verb)
  const bareList = comma && words[from - 1]?.text === ','
  if (isPast(second)) {
    if (/^(?:have|has|'ve)$/.test(first.lower) && main?.pos === 'VERB' && main !== first) return [...subject, first]
    return isPast(first) ? subject : null
  }
  if (bareList || second.pos === 'AUX') return null
  const alike = second.lower === second.lemma ? first.lower === first.lemma : first.lower !== first.lemma && first.lower.endsWith('s')
  return alike && first.pos === 'VERB' && end === verb + 1 ? subject : null
}

function isPast(each: Word): boolean {
  if (each.pos === 'AUX') return /^(?:was|were|had|did)$/.test(each.lower)
  return each.lower !== each.lemma && !isIng(each) && !(each.lower.endsWith('s') && each.lower.startsWith(each.lemma.slice(0, 2)))
}
