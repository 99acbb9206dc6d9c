/** Cues in a text by itself, the same for every question. Booleans are 0 or 1, as features count them. */

const timeWords =
  /\b(?:\d{4}|yesterday|today|tomorrow|tonight|ago|last|next|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|weeks?|months?|years?)\b/i
const number = /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|couple|few|once|twice)\b/i
/** A capital within a sentence. */
const name = /[a-z,] \p{Lu}\p{Ll}{2,}/u
const names = new RegExp(name, 'gu')
const mostNames = 3
const reason = /\b(?:because|since|so that|to help|wanted|reason|inspired)\b/i
/** The text, or the text before the caption of an image, ends with a question mark. */
const questionAtEnd = /\?\s*(?:\[image.*)?$/

/** A person says how to do things from then on: it holds for every later question, in other words too. */
const instruction =
  /(?:^|[.!?;,]\s+(?:and\s+|but\s+)?)(?:please\s+)?(?:always|never)\b|\b(?:from now on|going forward)\b|\b(?:when|whenever|if|every time) I (?:ask|want|request|mention)\b/i
const preference =
  /\bI(?:['’]d| would)? (?:(?:really|also|generally|usually|much) )?(?:prefer|rather|favou?r)\b|\bmy preference\b/i

/** Kinds of answers that a pattern can find in a text. */
export type AnswerKind = 'time' | 'number' | 'place' | 'person' | 'reason'

export interface TextCues {
  /** Whether it has an answer of the kind. */
  readonly answers: { readonly [kind in AnswerKind]: number }
  /** Names within sentences, at most 3. */
  readonly nameCount: number
  readonly isQuoting: number
  readonly hasImage: number
  /** A question mark anywhere. */
  readonly asks: number
  readonly endsAsking: number
  /** As `endsAsking`, without the caption of an image. */
  readonly endsWithQuestionMark: number
  readonly isInstruction: number
  readonly isPreference: number
}

export function textCuesOf(words: string): TextCues {
  const nameCount = Math.min(mostNames, words.match(names)?.length ?? 0)
  const hasName = Number(nameCount > 0)
  return {
    answers: {
      time: Number(timeWords.test(words)),
      number: Number(number.test(words)),
      place: hasName,
      person: hasName,
      reason: Number(reason.test(words)),
    },
    nameCount,
    isQuoting: Number(words.includes('"')),
    hasImage: Number(words.includes('[image: ')),
    asks: Number(words.includes('?')),
    endsAsking: Number(questionAtEnd.test(words)),
    endsWithQuestionMark: Number(words.trimEnd().endsWith('?')),
    isInstruction: Number(instruction.test(words)),
    isPreference: Number(preference.test(words)),
  }
}
