/** One clause as a statement, or null where it holds no fact that can be told without guessing. */
import { namesIn } from '../names.ts'
import { firstNameGender } from '../first-names.ts'
import { keywordsIn } from '../terms.ts'
import { joined, type Word, word } from '../words.ts'
import { describe } from './describe.ts'
import { asksOrCommands, isSocial, substance } from './filters.ts'
import { type Roles, withoutPronouns } from './pronouns.ts'
import type { Context, Statement } from './statement.ts'
import { type Frame, finiteVerb, frame, isAdverb, isIng } from './verbs.ts'

export function restatedClause(said: readonly Word[], roles: Roles, context: Context, at: number): Statement | null {
  const clause = withSubject(trimmed(said))
  if (asksOrCommands(clause) || isSocial(joined(clause).toLowerCase())) return null
  const found = frame(clause)
  if (!found || found.verb === 0 || !tellable(clause, found)) return null
  const words = resolved(clause, found, roles)
  const told = words && frame(words)
  if (!words || !told || told.verb === 0 || !worthTelling(words, told, context)) return null
  const text = joined(words)
  return {
    text: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
    ...describe(words, told, at),
    ...facts(words, context.participants),
  }
}

/** What is read off the words alone. */
export function facts(words: readonly Word[], participants: readonly string[]): Pick<Statement, 'when' | 'persons' | 'entities' | 'keywords'> {
  return {
    when: words.find((each) => each.time)?.time ?? null,
    ...namesIn(words, participants),
    keywords: keywordsIn(words, 8),
  }
}

const i = word('I', 'PRON', 'i')

/** Chat drops its subject: `Went to the lake`, `Been reading a lot`, `Working on a book` are said of the speaker. */
function withSubject(words: readonly Word[]): readonly Word[] {
  const [first, second] = words
  if (!first) return words
  if (first.lower === 'been') return [i, word('have', 'AUX', 'have'), lowered(first), ...words.slice(1)]
  const past = first.pos === 'VERB' && first.lower !== first.lemma && !isIng(first) && !first.lower.endsWith('s') && finiteVerb(words, 0) === 0
  const had = first.lower === 'had' && second?.pos !== 'PRON'
  if (past || had || first.lower === 'got') return [i, lowered(first), ...words.slice(1)]
  if (isIng(first) && first.pos === 'VERB' && finiteVerb(words, 0) < 0) return [i, word('am', 'AUX', 'be'), lowered(first), ...words.slice(1)]
  return words
}

function lowered(each: Word): Word {
  return { ...each, text: each.lower, spaced: 'yes' }
}

/** Without signs, joints and dangling adverbs at either end. */
function trimmed(words: readonly Word[]): readonly Word[] {
  let from = 0
  let to = words.length
  while (from < to && (words[from]?.pos === 'CCONJ' || (words[from]?.pos === 'PUNCT' && words[from]?.text !== '"'))) from++
  while (to > from && dangles(words[to - 1])) to--
  return words.slice(from, to)
}

function dangles(each: Word | undefined): boolean {
  if (!each) return false
  if (each.pos === 'PUNCT') return each.text !== '"'
  return /^(?:CCONJ|SCONJ|DET|INTJ|SYM)$/.test(each.pos) || /^(?:too|also|though|so|then|even|already|just)$/.test(each.lower)
}

/** Subjects that can be told: no `there is`, no `this`, no generic `you`, no `it` that only carries a feeling. */
function tellable(words: readonly Word[], { verb, end }: Frame): boolean {
  const subject = words.slice(0, verb)
  const [first] = subject
  if (!first || subject.length > 12) return false
  if (/^(?:there|this|that|these|those|you|your|what|who|which|if|when|how|nothing|here|everything|something|one)$/.test(first.lower) && !/^(?:NOUN|PROPN)$/.test(subject[1]?.pos ?? '')) return false
  if (/^(?:here|much|your|you)$/.test(first.lower) || /^(?:when|if|because|since|while|that)$/.test(first.lower)) return false
  const bareBe = words.slice(verb, end).every((each) => each.pos === 'AUX' || isAdverb(each))
  return !(/^(?:it|they|he|she)$/.test(first.lower) && bareBe && words[end]?.pos !== 'NUM')
}

/** The clause without pronouns; where one isn't clear, as much of the clause as stands without it. */
function resolved(clause: readonly Word[], { end }: Frame, roles: Roles): readonly Word[] | null {
  let words = clause
  for (let tries = 0; tries < 3; tries++) {
    const result = withoutPronouns(words, roles)
    if (result.words) return result.words
    const cut = cutBefore(words, result.stuckAt, end)
    if (cut === null) return null
    words = trimmed(words.slice(0, cut))
  }
  return null
}

const takesInfinitive = /^(?:want|need|ask|tell|get|help|allow|encourage|like|expect|teach|have|be|inspire|motivate|remind|enable)$/
const seams = /^(?:because|since|when|while|which|who|where|as|although|though|so|,|and|but|after|before)$/

/** Where the clause may end before `stuck` and stay true. */
function cutBefore(words: readonly Word[], stuck: number, end: number): number | null {
  if (words.slice(0, stuck).some((each) => /^(?:n't|not|never|no|nothing|if|unless|until|than)$/.test(each.lower))) return null
  for (let at = stuck; at > end; at--) {
    const each = words[at]
    if (!each) continue
    const object = words.slice(end, at).some((part) => /^(?:NOUN|PROPN|TIME)$/.test(part.pos))
    const phrase = each.pos === 'ADP' && at >= stuck - 1
    const purpose = each.lower === 'to' && words[at + 1]?.pos === 'VERB' && words[at - 1]?.pos === 'NOUN' && !takesInfinitive.test(words[end - 1]?.lemma ?? '')
    if (object && (seams.test(each.lower) || (at < stuck && (phrase || purpose)))) return at
  }
  return null
}

/** Is there enough in it, tied to somebody or something with a name? */
function worthTelling(words: readonly Word[], { verb, end }: Frame, context: Context): boolean {
  const last = words.at(-1)
  if (!last || words.length < 4 || /^(?:DET|CCONJ|SCONJ|PART|AUX)$/.test(last.pos) || words.length > 45) return false
  const named = (each: Word, i: number) => each.pos === 'PROPN' && (i > 0 || firstNameGender(each.text) !== null)
  const tied = words.some((each, i) => each.time || context.participants.includes(each.text) || named(each, i))
  const bareBe = words.slice(verb, end).every((each) => each.pos === 'AUX' || isAdverb(each))
  const ours = words.slice(0, verb).some((each) => each.time || context.participants.includes(each.text))
  if (bareBe && !ours && !words.slice(end).some((each) => each.time || each.pos === 'PROPN' || each.pos === 'NUM')) return false
  const object = words.slice(end).some((each) => /^(?:NOUN|PROPN|NUM|TIME|VERB|ADJ)$/.test(each.pos))
  const fromSubject = context.participants.includes(words[0]?.text ?? '') && verb === 1 ? 0 : 0.5
  return tied && object && substance(words.slice(verb).filter((each) => !context.participants.includes(each.text))) + fromSubject >= 2
}
