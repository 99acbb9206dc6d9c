/**
 * Short answers that need their question: `How long have you had your dog?` – `3 years!` → `Ann has had Ann's dog for 3
 * years.` Only a few patterns.
 */

import type { Context, Utterance } from './statement.ts'
import { tidy } from './tidy.ts'

const howLong = /\bhow long (?:have you|'ve you|you've) (?:been )?(?<what>[^?]+)\?\s*$/i
const whatIs = /\bwhat(?:'s| is| are) your (?<what>[^?]{3,60}?)\?\s*$/i
const howMany = /\bhow many (?<what>[a-z ]{3,30}?) do you have\?\s*$/i
const duration =
  /^(?:for |about |around |over |almost |nearly )*(?<answer>(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty) (?:days?|weeks?|months?|years?|decades?))(?: now)?[.!]*(?=$|\s[A-Z])/i
const number = /^(?<answer>\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten)[.!]*(?=$|\s[A-Z])/i

/** The answer as a full sentence in the first person, to be restated; null if it fits no pattern. */
export function answerAsSentence(utterance: Utterance, context: Context): string | null {
  const question = context.previous.at(-1)
  if (!question || question.speaker === utterance.speaker) return null
  const answer = tidy(utterance.text)
  const asked = tidy(question.text)
  const long = howLong.exec(asked)?.groups?.['what']
  const time = duration.exec(answer)?.groups?.['answer']
  const been = /\bhow long have you been\b/i.test(asked) ? 'been ' : ''
  if (long && time) return `I have ${been}${inFirstPerson(long)} for ${time.toLowerCase()}.`
  const many = howMany.exec(asked)?.groups?.['what']
  const count = number.exec(answer)?.groups?.['answer']
  if (many && count) return `I have ${count.toLowerCase()} ${many}.`
  const what = whatIs.exec(asked)?.groups?.['what']
  const short = /^(?<answer>(?:[A-Z][\w'&-]*|"[^"]+")(?: (?:of|the|and|[A-Z][\w'&-]*)){0,6})[.!]+(?=$|\s)/.exec(answer)
    ?.groups?.['answer']
  return what && short && !/^(?:Yes|No|Yeah|Sure|Thanks|Wow|Hey|Well|Oh|Not|I)\b/.test(short)
    ? `My ${inFirstPerson(what)} is ${short}.`
    : null
}

function inFirstPerson(question: string): string {
  return question
    .replace(/\byour\b/gi, 'my')
    .replace(/\byou\b/gi, 'I')
    .trim()
}
