/** The sentences of an utterance as words, with absolute times. */
import { type EventTime, rewriteTimes } from '../times.ts'
import { tag, type Word, word } from '../words.ts'
import { tidy } from './tidy.ts'

/** The words of each sentence, with every expression of time as one word that carries its absolute date. */
export function timedSentences(text: string, at: number): readonly (readonly Word[])[] {
  const { text: marked, times } = rewriteTimes(tidy(text), at, (_, i) => placeholder(i))
  return tag(marked).map((sentence) => sentence.map((each) => timed(each, times)))
}

const digits = 'abcdefghij'

/** A made-up proper noun, so that the tagger sees a name in place of the date. */
function placeholder(i: number): string {
  return `Qdate${[...String(i)].map((digit) => digits[Number(digit)]).join('')}`
}

function timed(each: Word, times: readonly EventTime[]): Word {
  if (!each.lower.startsWith('qdate')) return each
  const number = Number([...each.lower.slice(5)].map((letter) => digits.indexOf(letter)).join(''))
  const time = times[number]
  return time ? { ...each, text: time.text, lower: time.text.toLowerCase(), lemma: time.text, pos: 'TIME', time } : each
}

/**
 * The time at the beginning of a sentence, which its later clauses share: `Yesterday I tried something new - I gave a talk`, `Last week was
 * wild, I got hurt`. Empty if there is none.
 */
export function framingTime(first: readonly Word[], upFront: readonly Word[]): readonly Word[] {
  const time = first[0]
  if (upFront.length > 0 || !time?.time || first[1]?.pos !== 'AUX') return upFront
  const days = (time.time.to - time.time.from) / 86_400_000
  return [word(days <= 2 ? 'on' : 'in', 'ADP'), { ...time, isSpaced: true }]
}
