/** The sentences of an utterance as words, with absolute times. */
import { type InterpretedTime, rewriteTimes } from '../times.ts'
import { tag, type Word, word } from '../words.ts'
import { tidy } from './tidy.ts'

/** The words of each sentence, with every expression of time as one word that carries its absolute date. */
export function timedSentences(text: string, at: number): readonly (readonly Word[])[] {
  const { text: marked, times } = rewriteTimes(tidy(text), at, (time, i) =>
    time.reading === 'yearly' ? time.text : placeholder(i),
  )
  return whole(tag(marked)).map((sentence) => withNoLonger(sentence.map((each) => timed(each, times))))
}

/** The sentences that the tagger has not cut inside a number or a name such as `v5.3.0`. */
function whole(sentences: readonly (readonly Word[])[]): readonly (readonly Word[])[] {
  const isCut = (i: number) => i > 0 && sentences[i]?.[0]?.isSpaced === false
  return sentences.filter((_, i) => !isCut(i) && !isCut(i + 1))
}

/** `No longer` is one adverb, which denies like `not`. */
function withNoLonger(words: readonly Word[]): readonly Word[] {
  return words.flatMap((each, i) => {
    if (each.lower === 'longer' && words[i - 1]?.lower === 'no') return []
    if (each.lower !== 'no' || words[i + 1]?.lower !== 'longer') return [each]
    return [{ ...each, text: 'no longer', lower: 'no longer', lemma: 'no longer', pos: 'ADV' }]
  })
}

/** The part of speech of a time that may be a date or a habit: no statement holds it. */
const unclearTime = 'UNCLEAR TIME'

export function isUnclearTime(each: Word): boolean {
  return each.pos === unclearTime
}

const digits = 'abcdefghij'

/** A made-up proper noun, so that the tagger sees a name in place of the date. */
function placeholder(i: number): string {
  return `Qdate${[...String(i)].map((digit) => digits[Number(digit)]).join('')}`
}

function timed(each: Word, times: readonly InterpretedTime[]): Word {
  if (!each.lower.startsWith('qdate')) return each
  const number = Number([...each.lower.slice(5)].map((letter) => digits.indexOf(letter)).join(''))
  const read = times[number]
  if (!read) return each
  const { from, to, text, reading } = read
  const word = { ...each, text, lower: text.toLowerCase(), lemma: text, pos: 'TIME', time: { from, to, text } }
  return reading === 'unclear' ? { ...word, pos: unclearTime } : word
}

/**
 * The time at the beginning of a sentence, which its later clauses share: `Yesterday I tried something new - I gave a
 * talk`, `Last week was wild, I got hurt`. Empty if there is none.
 */
export function framingTime(first: readonly Word[], upFront: readonly Word[]): readonly Word[] {
  const time = first[0]
  if (upFront.length > 0 || !time?.time || first[1]?.pos !== 'AUX') return upFront
  const days = (time.time.to - time.time.from) / 86_400_000
  return [word(days <= 2 ? 'on' : 'in', 'ADP'), { ...time, isSpaced: true }]
}
