/**
 * Whom `we` means. Said of one's own life it is mostly the speaker with people who are not here; what the speaker and others did,
 * the speaker did, so the speaker's name alone is true. Where a clause is about two or more (together, each other) that is not
 * enough: it needs others who were clearly named, else it is left out. `After we talked` is about this very conversation's two.
 */
import type { Word } from '../words.ts'

const mutual = /^(?:together|each|eachother|both|duo|apart|all)$/
const talk = /^(?:talk|chat|speak|catch)$/

/** null: not the speaker alone, and who else isn't clear. */
export function companions(
  clause: readonly Word[],
  speaker: string,
  addressee: string | null,
): readonly string[] | null {
  const at = clause.findIndex((each) => each.lower === 'we')
  const all = clause.some((each, i) => each.lower === 'us' && clause[i + 1]?.lower === 'all')
  if (at < 0) return all ? null : [speaker]
  const both = addressee === null ? null : [speaker, addressee]
  if (talk.test(clause[at + 1]?.lemma ?? '')) return both
  // `When we were kids`, `we are teammates`
  const many = clause.slice(at + 2).find((each) => !/^(?:ADV|ADJ|DET|PRON)$/.test(each.pos))
  if (clause[at + 1]?.lemma === 'be' && many?.pos === 'NOUN' && many.lower !== many.lemma) return null
  const pair = clause.some((each) => each.lemma === 'make') && clause.at(-1)?.lower === 'team'
  if (!pair && !clause.some((each) => mutual.test(each.lower))) return [speaker]
  return clause.some((each) => each.text === addressee) ? both : null
}
