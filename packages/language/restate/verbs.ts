/** Finds the subject and the verbs of a clause by parts of speech, and repairs common errors of the tagger. */
import type { Word } from '../words.ts'
import { pastEqualToBase } from './agreement.ts'

export interface Frame {
  /** The index of the first finite verb; the words before it are the subject. */
  readonly verb: number
  /** The exclusive end of the verb group: `has been wanting to visit`. */
  readonly end: number
}

export const nominative = new Set(['i', 'we', 'you', 'he', 'she', 'they', 'it'])
const baseIng = /^(?:bring|sing|ring|cling|swing|fling|string|sting|spring|king|thing)$/
const plainWord = /^[a-z]+$/

export function isIng(each: Word | undefined): boolean {
  return each?.lower.endsWith('ing') === true && each.lower.length > 4 && !baseIng.test(each.lower)
}

export function isAdverb(each: Word | undefined): boolean {
  return (
    each !== undefined && (each.pos === 'ADV' || each.lower === "n't" || each.lower === 'not') && each.lower !== 'when'
  )
}

export function isFiniteVerb(words: readonly Word[], i: number): boolean {
  const each = words[i]
  if (!each || (each.pos !== 'AUX' && each.pos !== 'VERB')) return false
  if (words[i - 1]?.lower === 'to') return false
  if (each.pos === 'AUX') return !/^(?:be|been|being|having)$/.test(each.lower)
  if (/^(?:named|called|based|titled|made)$/.test(each.lower) && words[i - 1]?.pos === 'NOUN' && i > 1) return false
  return !isIng(each) && !/^(?:gone|done|been|seen|known|given|taken|written)$/.test(each.lower)
}

/** The index of the first finite verb from `from` on, or -1. Skips relative clauses in the subject. */
export function finiteVerb(words: readonly Word[], from: number): number {
  let inside = 0
  for (let i = from; i < words.length; i++) {
    const each = words[i]
    if (!each) break
    const afterNoun = i > from && /^(?:NOUN|PROPN)$/.test(words[i - 1]?.pos ?? '')
    if (i > from && /^(?:that|who|which|where)$/.test(each.lower) && words[i - 1]?.pos !== 'VERB') inside++
    else if (afterNoun && nominative.has(each.lower)) inside++
    if (!isFiniteVerb(words, i)) continue
    if (inside === 0) return i
    inside--
    i = groupEnd(words, i) - 1
  }
  return -1
}

export function frame(words: readonly Word[]): Frame | null {
  const verb = finiteVerb(words, 0)
  return verb < 0 ? null : { verb, end: groupEnd(words, verb) }
}

/** The end of auxiliaries, adverbs, the main verb, and its infinitives. */
export function groupEnd(words: readonly Word[], verb: number): number {
  let i = verb
  while (words[i]?.pos === 'AUX') {
    i++
    let ahead = i
    while (isAdverb(words[ahead])) ahead++
    const next = words[ahead]
    if (next?.pos === 'AUX' || next?.pos === 'VERB') i = ahead
    else {
      if (words[i]?.lower === "n't" || words[i]?.lower === 'not') i++
      break
    }
  }
  if (words[i]?.pos === 'VERB') i++
  while (words[i]?.lower === 'to' && words[i + 1]?.pos === 'VERB') i += 2
  return Math.max(i, verb + 1)
}

/** A verb always follows `I`, so a noun or adjective there is one (`I volunteer`, `I read`). */
export function withRepairedTags(words: readonly Word[]): readonly Word[] {
  return words.map((each, i) => {
    let at = i - 1
    while (isAdverb(words[at])) at--
    const subject = words[at]
    const first = at === 0 || !/^(?:VERB|ADP|AUX)$/.test(words[at - 1]?.pos ?? '')
    if (
      subject &&
      /^(?:i|we|they)$/.test(subject.lower) &&
      first &&
      /^(?:NOUN|ADJ)$/.test(each.pos) &&
      plainWord.test(each.lower) &&
      !/le?y$/.test(each.lower) &&
      !/^(?:last|all|both|such|less|more)$/.test(each.lower)
    ) {
      return { ...each, pos: 'VERB' }
    }
    if (
      each.lower === "'s" &&
      each.pos === 'PART' &&
      /^(?:a|an|the|my|our|so|such|pretty|not|been|always)$/.test(words[i + 1]?.lower ?? '')
    ) {
      return { ...each, pos: 'AUX', lemma: 'be' }
    }
    if (each.lower === 'need' && each.pos === 'AUX') return { ...each, pos: 'VERB' }
    if (takenForNoun(words, i)) return { ...each, pos: 'VERB', lemma: each.lower.replace(/s$/, '') }
    return each
  })
}

const doing =
  /^(?:lives|works|answers|cooks|sings|plays|teaches|studies|paints|writes|sells|leads|sleeps|loves|likes|plans|hopes|dreams|dances|runs)$/

/** `Lena lives in Porto`, `three planks cost 144 euros`: without another verb, the apparent noun is the verb. */
function takenForNoun(words: readonly Word[], i: number): boolean {
  const each = words[i]
  const previous = words[i - 1]
  const next = words[i + 1]
  if (each?.pos !== 'NOUN' || i === 0) return false
  if (/^costs?$/.test(each.lower)) return previous?.pos === 'NOUN' && next?.pos === 'NUM'
  const object = /^(?:DET|PRON|ADP)$/.test(next?.pos ?? '') && next?.lower !== 'of'
  return doing.test(each.lower) && previous?.pos === 'PROPN' && object
}

/** A past form; those that equal their base (cut, put) count. */
export function isPast(each: Word): boolean {
  if (each.pos === 'AUX') return /^(?:was|were|had|did)$/.test(each.lower)
  if (pastEqualToBase.has(each.lower)) return true
  return (
    each.lower !== each.lemma &&
    !isIng(each) &&
    !(each.lower.endsWith('s') && each.lower.startsWith(each.lemma.slice(0, 2)))
  )
}
