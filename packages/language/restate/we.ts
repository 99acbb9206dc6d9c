/**
 * The meaning of `we`. Mostly it is the speaker with people outside of the conversation. The speaker took part in their
 * actions, so a statement about the speaker alone is true. A clause about two or more (together, each other) needs
 * others who are clearly named, else it is left out. `After we talked` means the two of this conversation.
 */
import type { Word } from '../words.ts'

const mutual = /^(?:together|each|eachother|both|duo|apart|all)$/
const talk = /^(?:talk|chat|speak|catch)$/

/** null: the speaker and unclear others. */
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
