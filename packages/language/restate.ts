/**
 * Restates an utterance as self-contained statements. English, by rules, and cautious: a clause with an unclear person,
 * thing or time is left out. No statement holds a pronoun except `herself` and `himself`, or a time relative to the
 * utterance. Pure: the same utterance in the same context gives the same statements.
 */
import { answerAsSentence } from './restate/answers.ts'
import { Antecedents, isUnknownName } from './restate/antecedents.ts'
import { correctsDay, isDoubtfulSentence, isProposal, isRunTogether } from './restate/certainty.ts'
import { asClauseEnd, clauses, factiveTail } from './restate/clauses.ts'
import { correctedSentence, withoutCorrectedClauses } from './restate/corrections.ts'
import { sharedImages } from './restate/images.ts'
import { impliedState } from './restate/implied-state.ts'
import { maxSentenceWords } from './restate/limits.ts'
import { nounPhrases } from './restate/noun-phrases.ts'
import { withoutOpening } from './restate/openings.ts'
import { withoutPronouns } from './restate/pronouns.ts'
import { proseOf } from './restate/prose.ts'
import { restatedClause } from './restate/restated-clause.ts'
import type { Roles } from './restate/roles.ts'
import type { Context, Statement, Utterance } from './restate/statement.ts'
import { framingTime, timedSentences } from './restate/timed-sentences.ts'
import { frame, isIng, isPast, withRepairedTags } from './restate/verbs.ts'
import { companions } from './restate/we.ts'
import { joined, type Word } from './words.ts'

export type { Context, Statement, Utterance } from './restate/statement.ts'

export function restate(utterance: Utterance, context: Context): readonly Statement[] {
  const answer = answerAsSentence(utterance, context)
  const said = proseOf(utterance.text)
  const text =
    correctedSentence({ ...utterance, text: said }, context) ?? (answer === null ? said : `${answer} ${said}`)
  const sentences = timedSentences(text, utterance.at)
  const antecedents = new Antecedents(utterance.speaker)
  const roles: Roles = {
    speaker: utterance.speaker,
    addressee: context.addressee,
    we: [utterance.speaker],
    antecedents,
  }
  // People address each other by first names, too.
  const called = context.participants.flatMap((name) => [name, name.split(' ')[0] ?? name])
  const found = sentences.flatMap((sentence) => statementsOf(sentence, called, roles, context, utterance.at))
  return distinct([...found, ...sharedImages(utterance)])
}

function statementsOf(
  sentence: readonly Word[],
  called: readonly string[],
  roles: Roles,
  context: Context,
  at: number,
): readonly Statement[] {
  const found: Statement[] = []
  if (sentence.length > maxSentenceWords || isRunTogether(sentence)) return []
  const whole = joined(sentence)
  if (isDoubtfulSentence(whole) || correctsDay(whole)) return []
  const { words, upFront } = withoutOpening(sentence, called)
  if (isProposal(sentence, words)) return []
  const isQuestion = sentence.at(-1)?.text === '?'
  const parts = withoutCorrectedClauses(clauses(withRepairedTags(words)))
  const frameTime = asClauseEnd(framingTime(parts[0] ?? [], upFront))
  for (const [i, clause] of parts.entries()) {
    const opened = withoutOpening(clause, called)
    const plain = [...opened.words, ...asClauseEnd(opened.upFront)]
    const full = i === 0 ? [...plain, ...asClauseEnd(upFront)] : withTime(plain, frameTime)
    const here = { ...roles, we: companions(full, roles.speaker, roles.addressee) }
    const asked = isQuestion && i === parts.length - 1
    const statement = asked || dangles(full, i) ? null : statementOf(full, here, context, at)
    const state = statement && impliedState(statement, context.participants, at)
    found.push(...[statement, state].filter((each) => each !== null))
    note(full, here, statement ? 'clear' : 'unclear')
  }
  return found
}

/** The statement of the clause, or else of its factive tail. */
function statementOf(clause: readonly Word[], roles: Roles, context: Context, at: number): Statement | null {
  return restatedClause(clause, roles, context, at) ?? restatedClause(factiveTail(clause), roles, context, at)
}

/** Adds the time at the beginning of a sentence to a later clause in the past. */
function withTime(clause: readonly Word[], time: readonly Word[]): readonly Word[] {
  const verb = clause[frame(clause)?.verb ?? -1]
  return verb && isPast(verb) && !clause.some((each) => each.time) ? [...clause, ...time] : clause
}

/** A later `-ing` without a subject need not be the speaker's: `the puppy is fine - learning commands`. */
function dangles(clause: readonly Word[], i: number): boolean {
  return i > 0 && isIng(clause[0])
}

/** Adds the clause's persons to the antecedents, and its things if the clause became a statement. */
function note(clause: readonly Word[], roles: Roles, clarity: 'clear' | 'unclear'): void {
  const phrases = nounPhrases(clause).flatMap((phrase) => {
    const { words } = withoutPronouns(phrase.words, roles)
    const isNoted = clarity === 'clear' || phrase.is === 'person' || isUnknownName(phrase)
    return words && isNoted ? [{ ...phrase, words }] : []
  })
  roles.antecedents.add(phrases)
}

function distinct(statements: readonly Statement[]): readonly Statement[] {
  const seen = new Set<string>()
  return statements.filter(({ text }) => {
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
}
