/**
 * Clauses joined by `and`, `but`, `so` or a comma, cut apart. A second verb without a subject of its own gets the first
 * one's, with the auxiliaries that it needs: `has been knitting a scarf and baking bread`.
 */
import type { Word } from '../words.ts'
import { startsClause } from './clause-starts.ts'
import { finiteVerb, groupEnd, isAdverb, isFiniteVerb, isIng, isPast } from './verbs.ts'

type Words = readonly Word[]

/** Cuts at `and she`, `, but we`, `and bought`. */
export function splitAtCoordination(words: Words): readonly Words[] {
  const found: Words[] = []
  let prefix: Words = []
  let start = 0
  for (let i = 1; i < words.length; i++) {
    if (!isJoint(words[i])) continue
    let next = i + 1
    while (isJoint(words[next]) || /^(?:then|also|now|even)$/.test(words[next]?.lower ?? '')) next++
    const current = [...prefix, ...words.slice(start, i)]
    const shared = sharedAt(words, i, next, current)
    if (shared === null) continue
    found.push(current)
    prefix = shared
    start = next
    i = next
  }
  found.push([...prefix, ...words.slice(start)])
  return found
}

/**
 * The words that the clause from `next` on shares with `current`; empty if it has its own subject; null: no cut at this
 * joint.
 */
function sharedAt(words: Words, joint: number, next: number, current: Words): Words | null {
  if (finiteVerb(current, 0) < 0 || opensSubordinate(current)) return null
  const comma = words[joint]?.text === ',' || words[joint - 1]?.text === ','
  const opensPhrase = /^(?:DET|PRON)$/.test(words[next]?.pos ?? '') || isIng(words[next])
  if (startsClause(words, next, comma || opensPhrase ? 'any' : 'pronoun')) return []
  if (words[next]?.lower === 'please') return []
  return words[joint]?.lower === 'so' ? null : sharedStart(current, words, next)
}

function isJoint(each: Word | undefined): boolean {
  return each !== undefined && (each.text === ',' || /^(?:and|but|so|yet|plus)$/.test(each.lower))
}

function opensSubordinate(words: Words): boolean {
  return /^(?:when|while|if|because|although|though|since|after|before)$/.test(words[0]?.lower ?? '')
}

/**
 * The words that the second verb shares with the first: the subject, with auxiliaries if the verb needs them; null:
 * none.
 */
function sharedStart(current: Words, words: Words, from: number): Words | null {
  let next = from
  while (isAdverb(words[next])) next++
  const second = words[next]
  const verb = finiteVerb(current, 0)
  const first = current[verb]
  if (!second || !first || verb === 0 || !isVerbLike(second, words[next + 1])) return null
  const end = groupEnd(current, verb)
  // With another verb after the first, it isn't clear which verb the second one continues.
  if (current.some((_, i) => i >= end && isFiniteVerb(current, i)) || endsInList(current, second)) return null
  const main = current[end - 1]
  // `I am thinking of working with them, helping them`: `helping` depends on `thinking of`.
  if (isIng(second) && current.slice(end).some(isIng)) return null
  if (isIng(second))
    return first.pos === 'AUX' && isIng(main) && main?.pos === 'VERB' ? current.slice(0, end - 1) : null
  if (!isFiniteVerb(words, next)) return null
  const subject = current.slice(0, verb)
  if (isPast(second)) {
    if (/^(?:have|has|'ve)$/.test(first.lower) && main?.pos === 'VERB' && main !== first) return [...subject, first]
    return isPast(first) ? subject : null
  }
  const afterComma = words[from - 1]?.text === ','
  return !afterComma && first.pos === 'VERB' && end === verb + 1 && alike(first, second) ? subject : null
}

function isVerbLike(second: Word, after: Word | undefined): boolean {
  const gerund = isIng(second) && /^(?:NOUN|DET|PRON|PROPN|ADJ)$/.test(after?.pos ?? '')
  return second.pos === 'VERB' || second.pos === 'AUX' || gerund
}

/** `relief, joy and worry`: the last one is a noun as well. */
function endsInList(current: Words, second: Word): boolean {
  return current.at(-2)?.text === ',' && current.at(-1)?.pos === 'NOUN' && second.lower === second.lemma
}

/** Both base forms, or both with an s. */
function alike(first: Word, second: Word): boolean {
  if (second.pos === 'AUX') return false
  if (second.lower === second.lemma) return first.lower === first.lemma
  return first.lower !== first.lemma && first.lower.endsWith('s')
}
