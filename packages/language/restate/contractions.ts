/** Expands contracted verbs by the words after them. */
import { type Word, word } from '../words.ts'
import { isAdverb } from './verbs.ts'

/** Contractions in full: 'll → will, 'd → had or would, 's after a pronoun → is or has. */
export function expandContraction(each: Word, words: readonly Word[], i: number): Word {
  const full = (text: string): Word => ({ ...word(text, each.pos, each.lemma) })
  let next = i + 1
  while (isAdverb(words[next])) next++
  const after = words[next]
  if (each.pos !== 'AUX') return each
  if (each.lower === "'ll") return full('will')
  if (each.lower === "'ve") return full('have')
  if (each.lower === "'re") return full('are')
  if (each.lower === "'m") return full('am')
  if (each.lower === "'d")
    return full(
      after && (after.lower === 'been' || (after.pos === 'VERB' && after.lower !== after.lemma)) ? 'had' : 'would',
    )
  if (each.lower === "'s") return full(after && perfect(after, words[next + 1]) ? 'has' : 'is')
  return each
}

const naming = /^(?:called|named|titled|entitled|nicknamed)$/

/**
 * `it's made me grow` has an object and is a perfect; `it's made of wood` has none, and in `it's called Home` a name
 * follows.
 */
function perfect(participle: Word, after: Word | undefined): boolean {
  if (/^(?:been|got|had|become|gone|taken)$/.test(participle.lower)) return true
  const past = participle.pos === 'VERB' && participle.lower !== participle.lemma && !participle.lower.endsWith('ing')
  const object = naming.test(participle.lower) ? /^PRON$/ : /^(?:PRON|DET|PROPN)$/
  return past && object.test(after?.pos ?? '')
}
