/** Finds the words at which a subject with a finite verb begins, where a sentence may be cut. */
import type { Word } from '../words.ts'
import { isAdverb, isFiniteVerb, isIng, nominative } from './verbs.ts'

/** Whether a subject with a finite verb begins at `from`. `pronoun`: only a pronoun counts, the sure case. */
export function startsClause(words: readonly Word[], from: number, subject: 'any' | 'pronoun'): boolean {
  let i = from
  const first = words[i]
  if (!first) return false
  if (nominative.has(first.lower) || (/^(?:this|that|these|those|there)$/.test(first.lower) && first.pos === 'PRON')) {
    i++
    while (isAdverb(words[i])) i++
    return isFiniteVerb(words, i)
  }
  if (subject === 'pronoun') return false
  const nounAt = i
  const gerund = isIng(first)
  if (first.lower === 'not') i++
  const inside = (at: number) => gerund || /^(?:NOUN|PROPN)$/.test(words[at - 1]?.pos ?? '')
  while (
    i < from + 8 &&
    (isSubjectPart(words[i]) ||
      (isAdverb(words[i]) && words[i + 1]?.pos === 'ADJ') ||
      (inside(i) && /^(?:ADP|PART)$/.test(words[i]?.pos ?? '')) ||
      ofThem(words, i))
  )
    i++
  if (i === nounAt) return false
  // `my brother and I were`
  if (words[i]?.lower === 'and' && words[i + 1]?.lower === 'i') i += 2
  while (isAdverb(words[i])) i++
  const head = words.slice(nounAt, i).some((each) => each.pos === 'NOUN' || each.pos === 'PROPN' || each.pos === 'PRON')
  return head && isFiniteVerb(words, i)
}

/** `one of them` */
function ofThem(words: readonly Word[], i: number): boolean {
  return /^(?:them|us)$/.test(words[i]?.lower ?? '') && words[i - 1]?.lower === 'of'
}

function isSubjectPart(each: Word | undefined): boolean {
  if (!each) return false
  if (/^(?:i|we|he|she|they|it|you|who|which|that|what|me|us|them|him|where|when|how|why)$/.test(each.lower))
    return false
  return /^(?:DET|PRON|ADJ|NUM|NOUN|PROPN)$/.test(each.pos) || each.lower === "'s" || each.lower === 'of' || isIng(each)
}
