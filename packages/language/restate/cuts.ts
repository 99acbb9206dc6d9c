/**
 * Removes pronouns from a clause: the whole clause if all of them are clear, else the part that stays true without
 * them.
 */
import type { Word } from '../words.ts'
import { withoutPronouns } from './pronouns.ts'
import type { Roles } from './roles.ts'
import { type Frame, isIng } from './verbs.ts'

/** The clause without pronouns; if one is unclear, the part of the clause before it. */
export function withoutUnclearPronouns(clause: readonly Word[], { end }: Frame, roles: Roles): readonly Word[] | null {
  let words = clause
  for (let tries = 0; tries < 3; tries++) {
    const result = withoutPronouns(words, roles)
    if (result.words) return result.words
    const cut = cutBefore(words, result.stuckAt, end)
    if (cut === null) return null
    words = trimmed(words.slice(0, cut))
  }
  return null
}

const takesInfinitive =
  /^(?:want|need|ask|tell|get|help|allow|encourage|like|expect|teach|have|be|inspire|motivate|remind|enable)$/
const seams = /^(?:because|since|when|while|which|who|where|as|although|though|so|,|and|but|after|before)$/

/** An end of the clause before `stuck` at which it stays true. */
function cutBefore(words: readonly Word[], stuck: number, end: number): number | null {
  if (
    words
      .slice(0, stuck)
      .some((each) => /^(?:n't|not|never|no|no longer|nothing|if|unless|until|than)$/.test(each.lower))
  )
    return null
  for (let at = stuck; at > end; at--) {
    const each = words[at]
    if (!each) continue
    const object = words.slice(end, at).some((part) => /^(?:NOUN|PROPN|TIME)$/.test(part.pos))
    // A cut would break `the hang of it` and `a time meeting with them`.
    const whole =
      each.lower !== 'of' && !isIng(words[at - 1]) && !(words[at - 2]?.pos === 'CCONJ' && words[at - 3]?.text === ',')
    const phrase =
      each.pos === 'ADP' && at >= stuck - 1 && whole && /^(?:NOUN|PROPN|TIME|NUM)$/.test(words[at - 1]?.pos ?? '')
    const purpose =
      each.lower === 'to' &&
      words[at + 1]?.pos === 'VERB' &&
      words[at - 1]?.pos === 'NOUN' &&
      !takesInfinitive.test(words[end - 1]?.lemma ?? '')
    if (object && ((seams.test(each.lower) && !endsList(words, at)) || (at < stuck && (phrase || purpose)))) return at
  }
  return null
}

/** `the energy, diversity, and food of this city`: a list needs its end. */
function endsList(words: readonly Word[], at: number): boolean {
  return words[at]?.lower === 'and' && words[at - 1]?.text === ',' && words[at - 3]?.text === ','
}

/** The words without signs, joints and dangling adverbs at both ends. */
export function trimmed(words: readonly Word[]): readonly Word[] {
  let from = 0
  let to = words.length
  while (from < to && (words[from]?.pos === 'CCONJ' || (words[from]?.pos === 'PUNCT' && words[from]?.text !== '"')))
    from++
  while (to > from && (dangles(words[to - 1]) || (words[to - 2]?.text === ',' && isIng(words[to - 1])))) to--
  return words.slice(from, to)
}

function dangles(each: Word | undefined): boolean {
  if (!each) return false
  if (each.pos === 'PUNCT') return each.text !== '"'
  return (
    /^(?:CCONJ|SCONJ|DET|INTJ|SYM)$/.test(each.pos) ||
    /^(?:too|also|though|so|then|even|already|just)$/.test(each.lower)
  )
}
