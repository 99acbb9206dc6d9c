/**
 * A new value beside `now`: `the fee is 0.35 % now`. It outdates an earlier sentence in the same words, with another
 * value of the same kind. A pronoun as the subject outdates nothing: its meaning is unknown.
 */
import type { Ends, Sentence } from './ends.ts'
import { beginsWithPronoun, speakOfOthers } from './phrases.ts'

const isNow = /\bnow\b(?! that\b)/i

export function newValue(sentence: Sentence): Ends | null {
  const { written, value } = sentence
  if (value === null || value.beside.length === 0 || !isNow.test(written) || beginsWithPronoun(written)) return null
  const words = new Set(value.beside)
  return (earlier) => {
    const before = earlier.value
    if (before === null || before.kind !== value.kind || before.text === value.text) return false
    const others = new Set(before.beside)
    const isSame = others.size === words.size && value.beside.every((term) => others.has(term))
    return isSame && !speakOfOthers([earlier.written, before.text], [written, value.text])
  }
}
