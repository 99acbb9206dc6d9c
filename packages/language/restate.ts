/**
 * Restating: what somebody said, as statements that stand by themselves. English, by rules, and cautious: a clause whose person,
 * thing or time is not clear is left out rather than guessed. No statement holds a pronoun or a time that needs the day it was
 * said on. Pure: the same utterance in the same context gives the same statements.
 */
import { answers } from './restate/answers.ts'
import { Antecedents } from './restate/antecedents.ts'
import { atTheEnd, clauses, factiveTail } from './restate/clauses.ts'
import { corrected, meant } from './restate/corrections.ts'
import { sharedImages } from './restate/images.ts'
import { implied } from './restate/implied.ts'
import { maxSentenceWords } from './restate/limits.ts'
import { nounPhrases } from './restate/noun-phrases.ts'
import { open } from './restate/openings.ts'
import { withoutPronouns } from './restate/pronouns.ts'
import { restatedClause } from './restate/restated-clause.ts'
import type { Roles } from './restate/roles.ts'
import type { Context, Said, Statement } from './restate/statement.ts'
import { tidy } from './restate/tidy.ts'
import { framingTime, timedSentences } from './restate/timed-sentences.ts'
import { frame, isIng, isPast, repaired } from './restate/verbs.ts'
import { companions } from './restate/we.ts'
import { tag, type Word } from './words.ts'

export type { Context, Said, Statement } from './restate/statement.ts'

export function restate(said: Said, context: Context): readonly Statement[] {
  const answer = answers(said, context)
  const text = meant(said, context) ?? (answer === null ? said.text : `${answer} ${said.text}`)
  const sentences = timedSentences(text, said.at)
  const antecedents = new Antecedents(said.speaker)
  const roles: Roles = { speaker: said.speaker, addressee: context.addressee, we: [said.speaker], antecedents }
  // People are called by their first names.
  const called = context.participants.flatMap((name) => [name, name.split(' ')[0] ?? name])
  recall(context, roles)
  const found = sentences.flatMap((sentence) => tellSentence(sentence, called, roles, context, said.at))
  return distinct([...found, ...sharedImages(said)])
}

function tellSentence(
  sentence: readonly Word[],
  called: readonly string[],
  roles: Roles,
  context: Context,
  at: number,
): readonly Statement[] {
  const found: Statement[] = []
  if (sentence.length > maxSentenceWords) return []
  const { words, upFront } = open(sentence, called)
  const isQuestion = sentence.at(-1)?.text === '?'
  const parts = corrected(clauses(repaired(words)))
  const frameTime = atTheEnd(framingTime(parts[0] ?? [], upFront))
  for (const [i, clause] of parts.entries()) {
    const opened = open(clause, called)
    const plain = [...opened.words, ...atTheEnd(opened.upFront)]
    const full = i === 0 ? [...plain, ...atTheEnd(upFront)] : withTime(plain, frameTime)
    const here = { ...roles, we: companions(full, roles.speaker, roles.addressee) }
    const asked = isQuestion && i === parts.length - 1
    const statement = asked || dangles(full, i) ? null : tell(full, here, context, at)
    const state = statement && implied(statement, context.participants, at)
    found.push(...[statement, state].filter((each) => each !== null))
    note(full, here, statement ? 'told' : 'untold')
  }
  return found
}

/** The clause, or else what it says by the way. */
function tell(clause: readonly Word[], roles: Roles, context: Context, at: number): Statement | null {
  return restatedClause(clause, roles, context, at) ?? restatedClause(factiveTail(clause), roles, context, at)
}

/** A later clause of the same sentence in the past has the time that the sentence began with. */
function withTime(clause: readonly Word[], time: readonly Word[]): readonly Word[] {
  const verb = clause[frame(clause)?.verb ?? -1]
  return verb && isPast(verb) && !clause.some((each) => each.time) ? [...clause, ...time] : clause
}

/** A later `-ing` without a subject need not be the speaker's: `the puppy is fine - learning commands`. */
function dangles(clause: readonly Word[], i: number): boolean {
  return i > 0 && isIng(clause[0])
}

/** The speaker's last sentence before this one, for what `it` and `she` may mean in the first. */
function recall(context: Context, roles: Roles): void {
  const before = context.previous.findLast((each) => each.speaker === roles.speaker)
  if (!before) return
  const last = tag(tidy(before.text)).at(-1)
  if (last) note(last, roles, 'untold')
}

/** Remembers the clause's persons; its things only where the clause was clear enough to be told. */
function note(clause: readonly Word[], roles: Roles, clear: 'told' | 'untold'): void {
  const phrases = nounPhrases(clause).flatMap((phrase) => {
    const { words } = withoutPronouns(phrase.words, roles)
    return words && (clear === 'told' || phrase.is === 'person') ? [{ ...phrase, words }] : []
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
