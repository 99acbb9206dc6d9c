/**
 * Restating: what somebody said, as statements that stand by themselves. English, by rules, and cautious: a clause whose person,
 * thing or time is not clear is left out rather than guessed. No statement holds a pronoun or a time that needs the day it was
 * said on. Pure: the same utterance in the same context gives the same statements.
 */
import { answers } from './restate/answers.ts'
import { Antecedents } from './restate/antecedents.ts'
import { atTheEnd, clauses, factiveTail } from './restate/clauses.ts'
import { sharedImages } from './restate/images.ts'
import { nounPhrases } from './restate/noun-phrases.ts'
import { open } from './restate/openings.ts'
import { withoutPronouns } from './restate/pronouns.ts'
import { restatedClause } from './restate/restated-clause.ts'
import type { Roles } from './restate/roles.ts'
import type { Context, Said, Statement } from './restate/statement.ts'
import { tidy } from './restate/tidy.ts'
import { isIng, repaired } from './restate/verbs.ts'
import { companions } from './restate/we.ts'
import { type EventTime, rewriteTimes } from './times.ts'
import { tag, type Word } from './words.ts'

export type { Context, Kind, Said, Statement, Tense } from './restate/statement.ts'

export function restate(said: Said, context: Context): readonly Statement[] {
  const answer = answers(said, context)
  const sentences = timedSentences(answer === null ? said.text : `${answer} ${said.text}`, said.at)
  const antecedents = new Antecedents(said.speaker)
  const roles: Roles = { speaker: said.speaker, addressee: context.addressee, we: [said.speaker], antecedents }
  recall(context, roles)
  const found: Statement[] = []
  for (const sentence of sentences) {
    const { words, upFront } = open(sentence, context.participants)
    const isQuestion = sentence.at(-1)?.text === '?'
    const parts = clauses(words)
    for (const [i, clause] of parts.entries()) {
      const opened = open(clause, context.participants)
      const last = i === parts.length - 1
      const full = [...repaired(opened.words), ...atTheEnd(opened.upFront), ...(i === 0 ? atTheEnd(upFront) : [])]
      const here = { ...roles, we: companions(full, roles.speaker, roles.addressee) }
      const tell = (words: readonly Word[]) => restatedClause(words, here, context, said.at)
      // A later `-ing` without a subject need not be the speaker's: `the puppy is fine - learning commands`.
      const statement =
        (isQuestion && last) || (i > 0 && isIng(full[0])) ? null : (tell(full) ?? tell(factiveTail(full)))
      if (statement) found.push(statement)
      note(full, here, statement ? 'told' : 'untold')
    }
  }
  found.push(...sharedImages(said))
  return distinct(found, said.text)
}

/** The words of each sentence, with every expression of time as one word that carries its absolute date. */
export function timedSentences(text: string, at: number): readonly (readonly Word[])[] {
  const { text: marked, times } = rewriteTimes(tidy(text), at, (_, i) => placeholder(i))
  return tag(marked).map((sentence) => sentence.map((each) => timed(each, times)))
}

const digits = 'abcdefghij'

/** A made-up proper noun, so that the tagger sees a name where the date will be. */
function placeholder(i: number): string {
  return `Qdate${[...String(i)].map((digit) => digits[Number(digit)]).join('')}`
}

function timed(each: Word, times: readonly EventTime[]): Word {
  if (!each.lower.startsWith('qdate')) return each
  const number = Number([...each.lower.slice(5)].map((letter) => digits.indexOf(letter)).join(''))
  const time = times[number]
  return time ? { ...each, text: time.text, lower: time.text.toLowerCase(), lemma: time.text, pos: 'TIME', time } : each
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

function distinct(statements: readonly Statement[], said: string): readonly Statement[] {
  const seen = new Set([bare(said)])
  return statements.filter((statement) => {
    const key = bare(statement.text)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function bare(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
