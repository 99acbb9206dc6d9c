/**
 * Doubt in a sentence or a clause. A hypothesis, a guess, a joke, a wish, a report of others' words or a question to
 * confirm something is no fact, and a clause with an unclear date is none either. The check is by words, and a doubtful
 * clause is left out as a whole.
 */
import type { Word } from '../words.ts'
import { isBasePresent } from './agreement.ts'
import { isAdverb, isFiniteVerb } from './verbs.ts'

/** Words that put the whole sentence in doubt. */
const doubtfulSentence =
  /\b(?:if|unless|whether|suppose|supposing|imagine|pretend|as though|what if|let's say|hypothetical(?:ly)?|in theory|in case|or else|kidding|joking|jokes?|sarcas\w+|haha|lol|lmao|used to say|as (?:they|people|we) say|once upon|dreamt|dreamed|in (?:my|a|the) dream|for (?:example|instance)|e\.g)\b/

/** Words that put their clause in doubt. */
const doubtfulClause =
  /\b(?:could|should|might|may|ought|maybe|perhaps|probably|possibly|presumably|apparently|supposedly|allegedly|likely|unlikely|hopefully|guess|guesses|suppose|believe|believes|assume|assumes|think|thinks|thought|reckon|bet|hope|hopes|hoping|wish|wishes|wonder|wonders|wondering|seems?|seemed|sounds?|almost|nearly|pretty much|some ?day|one day|a bit|following|below|above|depends?|rumou?r\w*|claims?|claimed|alleges?|feels? like|felt like|as usual|supposed)\b|\b(?:moved|pushed|postponed|rescheduled|shifted) (?:me|us|him|her|them|you) (?:to|until|from)\b|(?:\bwould|'d)(?! (?:love|like|prefer|been|had|\w+[^e]ed)\b)|\b(?:please|pls)\b|\b(?:is|are|was|were|be|am) like\b/

/** Questions to confirm the clause before. */
const confirms =
  /(?:^|, ?)(?:(?:is|isn't|wasn't|was) (?:that|this|it)(?: (?:right|correct|true|ok|okay|so))?|right|correct|true|yes|no|ok|okay|or not|or what|huh|eh|deal)\s*\?$/

export function isDoubtfulSentence(text: string): boolean {
  const lower = text.toLowerCase()
  return doubtfulSentence.test(lower) || confirms.test(lower)
}

const correctedDay = /\bnot (?:on )?the \d{1,2}(?:st|nd|rd|th)\b/i

/** `the 16th, not the 14th`: the month is that of the date which it corrects, and may be in another message. */
export function correctsDay(text: string): boolean {
  return correctedDay.test(text)
}

export function isDoubtfulClause(text: string): boolean {
  return doubtfulClause.test(text.replace(/\bMay\b|\bin may\b/g, '').toLowerCase())
}

/** `Then we sell the tractor`: a consequence to agree on. @param body the sentence without its opening */
export function isProposal(sentence: readonly Word[], body: readonly Word[]): boolean {
  const [subject, verb] = body
  if (sentence[0]?.lower !== 'then' || !/^(?:i|we)$/.test(subject?.lower ?? '')) return false
  return verb?.pos === 'VERB' && isBasePresent(verb)
}

/**
 * Longer sentences without any punctuation, as in dictation, hold several clauses whose borders only the voice tells.
 */
const maxUnpunctuatedWords = 10

export function isRunTogether(sentence: readonly Word[]): boolean {
  return sentence.length > maxUnpunctuatedWords && !sentence.some((each) => each.pos === 'PUNCT')
}

const joins =
  /^(?:that|who|whom|whose|which|where|when|while|because|since|as|although|though|after|before|until|than|what|how|why|and|or)$/
const takesClause =
  /^(?:say|tell|know|mean|decide|learn|find|discover|notice|realise|realize|announce|report|confirm|hear|see|show|prove|agree|promise)$/

/** The words without a second clause after a comma; null: no comma (`Marcus joins Platform the rest of us stay`). */
export function withoutSecondClause(words: readonly Word[], end: number): readonly Word[] | null {
  const second = secondClause(words, end)
  if (second < 0) return words
  const comma = words.findLastIndex((each, i) => i > end && i < second && each.text === ',')
  return comma < 0 ? null : words.slice(0, comma)
}

/** The index of a finite verb, or of a joint, that no word joins to the first clause; -1: none. */
function secondClause(words: readonly Word[], end: number): number {
  if (takesClause.test(words[end - 1]?.lemma ?? '')) return -1
  let isJoined = false
  for (let i = end; i < words.length; i++) {
    if (words[i]?.text === ',') isJoined = false
    if (/^(?:so|but|yet)$/.test(words[i]?.lower ?? '') && i < words.length - 2) return i
    if (joins.test(words[i]?.lower ?? '')) isJoined = true
    if (isFiniteVerb(words, i) && !isJoined && !isContactRelative(words, i) && !isNoun(words, i)) return i
  }
  return -1
}

/** `the stuff Maria baked` */
function isContactRelative(words: readonly Word[], verb: number): boolean {
  return words[verb - 1]?.pos === 'PROPN' && words[verb - 2]?.pos === 'NOUN'
}

/** Whether the tagger took a noun for a verb: `a product lead`. A verb would have an `s`, and follows no article. */
function isNoun(words: readonly Word[], i: number): boolean {
  const [noun, verb] = [words[i - 1], words[i]]
  if (/^(?:DET|ADJ|ADP|NUM)$/.test(noun?.pos ?? '') || noun?.lower === "'s") return true
  return verb !== undefined && isBasePresent(verb) && noun?.pos === 'NOUN' && noun.lower === noun.lemma
}

/** Whether the subject is one phrase that names somebody or something. */
export function isPlainSubject(words: readonly Word[]): boolean {
  const subject = words.slice(0, words.findLastIndex((each) => !isAdverb(each)) + 1)
  const determiners = subject.filter((each, i) => each.pos === 'DET' && subject[i - 1]?.lower !== 'of')
  return (
    subject.some((each) => /^(?:NOUN|PROPN|NUM)$/.test(each.pos)) &&
    subject.length <= 8 &&
    determiners.length <= 1 &&
    !subject.some(
      (each) =>
        each.time !== undefined ||
        (each.pos === 'PUNCT' && !/^["'-]$/.test(each.text)) ||
        /^(?:ADV|VERB|AUX|INTJ|SCONJ|PRON|X)$/.test(each.pos),
    )
  )
}

const relative =
  /^(?:wife|husband|daughter|son|sister|brother|cousin|aunt|uncle|niece|nephew|girlfriend|boyfriend|partner|neighbou?r|boss|landlord|landlady|flatmate|roommate|colleague)$/

/** `The wife is Hua`, `cousin is called Baran`: a relative of a person whom the clause doesn't name. */
export function isRelativeOfUnnamedPerson(subject: readonly Word[]): boolean {
  const [first, second] = subject[0]?.lower === 'the' ? subject.slice(1) : subject
  return second === undefined && relative.test(first?.lower ?? '')
}
