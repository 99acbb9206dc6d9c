/**
 * Whom `we` means. Said of one's own life it is mostly the speaker with people who are not here; what the speaker and others did,
 * the speaker did, so the speaker's name alone is true. Where a clause is about two or more (together, each other) that is not
 * enough: it needs others who were clearly named, else it is left out.
 */
import type { Word } from '../words.ts'

const mutual = /^(?:together|each|both|duo|apart|all)$/

/** null: not the speaker alone, and who else isn't clear. */
export function companions(
  clause: readonly Word[],
  speaker: string,
  addressee: string | null,
): readonly string[] | null {
  const at = clause.findIndex((each) => each.lower === 'we')
  if (at < 0 || !clause.some((each) => mutual.test(each.lower))) return [speaker]
  return addressee !== null && clause.some((each) => each.text === addressee) ? [speaker, addressee] : null
}
