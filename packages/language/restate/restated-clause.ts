/** Restates one clause; null if it holds no fact, or if a restatement would be a guess. */

import { namesIn } from '../names.ts'
import { keywordsIn } from '../terms.ts'
import { joined, type Word } from '../words.ts'
import { isDoubtfulClause, isPlainSubject, isRelativeOfUnnamedPerson, withoutSecondClause } from './certainty.ts'
import { trimmed, withoutUnclearPronouns } from './cuts.ts'
import { describe } from './describe.ts'
import { asksOrCommands, isGeneric, isSocial } from './filters.ts'
import type { Roles } from './roles.ts'
import type { Context, Statement } from './statement.ts'
import { isMeaningfulSubject, presupposes, withSubject } from './subjects.ts'
import { isSubstantial } from './substance.ts'
import { isUnclearTime } from './timed-sentences.ts'
import { type Frame, frame } from './verbs.ts'

export function restatedClause(
  original: readonly Word[],
  roles: Roles,
  context: Context,
  at: number,
): Statement | null {
  const clause = withSubject(trimmed(original.filter((each, at) => !presupposes(each, original[at + 1]))))
  if (isDoubtfulClause(joined(clause))) return null
  if (asksOrCommands(clause) || isSocial(joined(clause).toLowerCase()) || isGeneric(clause)) return null
  const found = frame(clause)
  if (!found || found.verb === 0 || !isMeaningfulSubject(clause, found)) return null
  const whole = withoutUnclearPronouns(clause, found, roles)
  const first = whole && frame(whole)
  const words = whole && first && withoutSecondClause(whole, first.end)
  const verbs = words && frame(words)
  if (!words || !verbs || verbs.verb === 0 || !isSubstantial(words, verbs, context.participants)) return null
  const subject = words.slice(0, verbs.verb)
  if (!isPlainSubject(subject) || isRelativeOfUnnamedPerson(subject) || words.some(isUnclearTime)) return null
  if (asksWithin(words, verbs.verb) || namesItself(words, verbs.verb) || isVagueIntention(words, verbs)) return null
  const text = joined(words).replace(/(?<![.\s])[.\s]+$/, '')
  return {
    text: `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
    ...describe(words, verbs, at),
    ...factFields(words, context.participants),
  }
}

/** `…, was that right`: a question without its mark, joined to the subject before it. */
function asksWithin(words: readonly Word[], verb: number): boolean {
  return words[verb]?.pos === 'AUX' && /^(?:that|this|it|he|she|they|there)$/.test(words[verb + 1]?.lower ?? '')
}

/** `Ann is Ann, a nurse`: the speaker's name for herself. */
function namesItself(words: readonly Word[], verb: number): boolean {
  return words[verb]?.lemma === 'be' && joined(words.slice(verb + 1)).startsWith(joined(words.slice(0, verb)))
}

/** `Ann will look at the details`: an intention without a time, a name or a number. */
function isVagueIntention(words: readonly Word[], { verb, end }: Frame): boolean {
  const intends = /^(?:will|wo|going)$/.test(words[verb]?.lower ?? '') || words[verb + 1]?.lower === 'going'
  return intends && !words.slice(end).some((each) => each.time || each.pos === 'PROPN' || each.pos === 'NUM')
}

/** The fields that come from the words alone. */
export function factFields(
  words: readonly Word[],
  participants: readonly string[],
): Pick<Statement, 'when' | 'persons' | 'entities' | 'keywords'> {
  return {
    when: words.find((each) => each.time)?.time ?? null,
    ...namesIn(words, participants),
    keywords: keywordsIn(words, 8),
  }
}
