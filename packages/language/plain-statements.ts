/**
 * Plain statements of a person about themselves, self-contained: a sentence of a known form (`plain/forms.ts`), in a
 * message without a sign of doubt. A joke, a hypothesis, a correction or another author anywhere in the message, or the
 * author's next message that takes it back, leaves out the whole message: rules can't tell how far such a sign reaches.
 * English only.
 */
import { plainForms } from './plain/forms.ts'
import { proseOf } from './restate/prose.ts'
import { type Context, restate, type Statement, type Utterance } from './restate.ts'

/** Longer messages are mostly pasted or drafted. */
const maxChars = 700
const maxLines = 6

/** Words of irony, fiction, hypothesis, dictation and other authors. */
const doubt =
  /\b(?:kidding|jok(?:e|es|ing)|sarcas\w*|iron(?:y|ic\w*)|lol|lmao|rofl|ha(?:ha)+|hah|hehe|yeah right|as if|in another life|in my dreams|dream(?:t|ed|ing|s)?|imagine|pretend\w*|suppose|supposing|hypothetical\w*|what if|let's say|wish|fantas\w+|novel|character|protagonist|fiction\w*|chapter|screenplay|role-?play|villain|scene|lyrics|poem|draft|paste[ds]?|pasting|copied|forward(?:ed|ing)|quotes?|quoted|quoting|translate|proofread|rewrite|template|example|e\.g|testimonial|persona|transcript)\b|\/s\b|[\u{1F600}-\u{1F64F}\u{1F910}-\u{1F92F}\u{1F970}-\u{1F97A}]|[:;]-?[)Pp]/iu
/** The speaker corrects or takes back something. */
const takenBack =
  /\b(?:no wait|wait,? (?:no|not|i)|scratch that|strike that|correction|i meant?|i misspoke|(?:that|it) was wrong|not true|isn't true|never mind|oops|sorry|apologies|just kidding|joking|typo|actually)\b/i
const nextTakesBack =
  /^\W*(?:no\b|not\b|nope|nah|wait|well,? not|or rather|just kidding|kidding|joking|jk|scratch|strike|correction|sorry|oops|i meant?\b|i mean\b|actually|ignore|forget|that was|typo|\*)/i
const quoted = /["“”«»„`|{}<>]|(?:^|\s)['‘]\S|:\s*$|\b(?:says?|said|wrote|writes)\b|^from \p{Lu}/mu
/** `I'm Anna`, `this is Anna`. */
const introduction = /\b(?:[Ii] am|[Ii]'m|[Tt]his is|[Ii]t's|[Mm]y name is) (?<name>\p{Lu}\p{Ll}+)/gu
/** `Anna here`, at the beginning. */
const here = /^(?<name>\p{L}{1,40}) here\b/u
/** Words before the form. */
const opening =
  /^(?:(?:hi|hello|hey|ok|okay|oh|also|and|so|well|yes|yeah|yep|btw|by the way|fyi|anyway|news|update|good news|bad news|for the record|note|p\.?s\.?)(?: (?:everyone|all|there|again))?[,:!.]? )+/i
const ending = /^(?:[.!]*$|,? (?:and|so|because|since) )/
const endingInDoubt =
  /\b(?:if|unless|almost|until|except|used|sort|kind|once|only|would|could|might)\b|\?|^[^a-z]*(?:and|so) not\b/i

/** @param next the author's next message in the conversation; null: none is known */
export function plainStatements(utterance: Utterance, context: Context, next: string | null): readonly Statement[] {
  const { speaker, at } = utterance
  const text = utterance.text.replaceAll('’', "'")
  if (isDoubtfulMessage(text, speaker) || (next !== null && nextTakesBack.test(next))) return []
  const sentences = proseOf(text).split(/(?<=[.!?…])\s+|\n+/)
  return sentences.flatMap((sentence, i) => {
    if (nextTakesBack.test(sentences[i + 1] ?? '')) return []
    const found = plainPart(sentence)
    if (found === null) return []
    const said = { speaker, at, text: `${found.text}.`, attachments: [] }
    return restate(said, { ...context, previous: [] }).filter((statement) => isInTime(statement, found.date, at))
  })
}

function isDoubtfulMessage(text: string, speaker: string): boolean {
  if (text.length > maxChars || text.split('\n').length > maxLines) return true
  return doubt.test(text) || takenBack.test(text) || quoted.test(text) || isOfSomebodyElse(text, speaker)
}

/** Whether the author calls themselves by a name that isn't the speaker's. */
function isOfSomebodyElse(text: string, speaker: string): boolean {
  const own = speaker.toLowerCase()
  const said = [here.exec(text.trimStart()), ...text.matchAll(introduction)]
  return said.some((found) => !own.includes((found?.groups?.['name'] ?? '').toLowerCase()))
}

/** The part of the sentence that has a plain form; null: none, or the rest of the sentence may change its meaning. */
function plainPart(sentence: string): { readonly text: string; readonly date: 'past' | 'future' | 'none' } | null {
  const body = sentence.trim().replace(opening, '')
  for (const { pattern, date } of plainForms) {
    const text = pattern.exec(body)?.[0]
    if (text === undefined) continue
    const rest = body.slice(text.length)
    return ending.test(rest) && !endingInDoubt.test(rest) ? { text, date } : null
  }
  return null
}

const longestAhead = 330 * 86_400_000

/** Whether the date of a statement lies on the side of its form, so that it isn't a year off. */
function isInTime({ when }: Statement, date: 'past' | 'future' | 'none', at: number): boolean {
  if (date === 'future') return when !== null && when.to > at && when.from < at + longestAhead
  return when === null || when.from <= at
}
