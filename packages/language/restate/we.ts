/**
 * Whom `we` means. Said of one's own life it is mostly the speaker with people who are not here; what the speaker and others did,
 * the speaker did, so the speaker's name alone is true. Where a clause is about two or more (together, each other) that is not
 * enough: it needs others who were clearly named, else it is left out. `After we talked` is about this very conversation's two.
 */
import type { Word } from '../words.ts'

const mutual = /^(?:together|each|both|duo|apart|all)$/
const talk = /^(?:talk|chat|speak|catch)$/

/** null: not the speaker alone, and who else isn't clear. */
export function companions(
  clause: readonly Word[],
  speaker: string,
  addressee: string | null,
): readonly string[] | null {
  const at = clause.findIndex((each) => each.lower === 'we')
  if (at < 0) return [speaker]
  const both = addressee === null ? null : [speaker, addressee]
  if (talk.test(clause[at + 1]?.lemma ?? '')) return both
  if (!clause.some((each) => mutual.test(each.lower))) return [speaker]
  return clause.some((each) => each.text === addressee) ? both : null
}
