/**
 * Drops statements that the speaker takes back. `I said the talk is on the 14th, it's on the 16th` keeps only the
 * second date; `I meant the 16th` is the sentence before it with another date.
 */
import { findTimes } from '../times.ts'
import type { Word } from '../words.ts'
import type { Context, Utterance } from './statement.ts'
import { tidy } from './tidy.ts'
import { finiteVerb } from './verbs.ts'

type Clause = readonly Word[]

const saying = /^(?:said|thought|told|wrote|mentioned|meant|announced)$/
const standIn = /^(?:it|they|he|she)$/

/** The clauses of a sentence, without those that the next one corrects. */
export function withoutCorrectedClauses(clauses: readonly Clause[]): readonly Clause[] {
  return clauses.flatMap((clause, i) => {
    const next = clauses[i + 1]
    if (next && correctedSubject(clause, next)) return []
    const before = clauses[i - 1]
    const subject = before && correctedSubject(before, clause)
    return [subject ? [...subject, ...clause.slice(1)] : clause]
  })
}

/** The subject of the corrected statement; null: `next` doesn't correct it. */
function correctedSubject(clause: Clause, next: Clause): Clause | null {
  const from = reported(clause)
  if (from === null || !standIn.test(next[0]?.lower ?? '') || next[1]?.pos !== 'AUX') return null
  const wrong = clause.slice(from)
  const verb = finiteVerb(wrong, 0)
  return verb > 0 ? wrong.slice(0, verb) : null
}

/** The beginning of the reported clause in `I said that …`; null: none. */
function reported(clause: Clause): number | null {
  if (!/^(?:i|we)$/.test(clause[0]?.lower ?? '')) return null
  const verb = clause.findIndex((each) => saying.test(each.lower))
  if (verb < 1 || verb > 2) return null
  const after = /^(?:you|everyone|everybody)$/.test(clause[verb + 1]?.lower ?? '') ? verb + 2 : verb + 1
  return clause[after]?.lower === 'that' ? after + 1 : after
}

const meantOnly =
  /^(?:(?:sorry|oops|no|correction|wait),? )?i (?:meant|mean)(?: to say| to write)? (?:(?:on|in) )?(?<rest>.+?)[.!]*$/i

/** For `I meant Friday` after an own sentence with one date: that sentence with the new date. Else null. */
export function correctedSentence({ text, speaker, at }: Utterance, { previous }: Context): string | null {
  const rest = meantOnly.exec(tidy(text.replace(/\bI mean\b/gi, 'I meant')))?.groups?.['rest']
  const before = previous.findLast((each) => each.speaker === speaker)
  if (rest === undefined || before === undefined) return null
  const [right, ...more] = findTimes(`on ${rest}`, at)
  const last = tidy(before.text)
  const wrong = findTimes(last, at)
  const [only] = wrong
  if (!right || more.length > 0 || right.text.length < rest.length - 4 || !only || wrong.length > 1) return null
  return `${last.slice(0, only.index).replace(/\bthe $/i, '')}${right.text}${last.slice(only.index + only.text.length)}`
}
