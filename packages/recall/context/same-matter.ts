/**
 * Whether a later instruction of the same person changes an earlier one: both say something about the same matter of
 * answers.
 */
import type { Instruction } from './instruction-rules.ts'

/** Matters of which one value holds at a time. */
const matters = [
  /\b(?:short|shorter|long|longer|brief|concise|lines|essays|kurz|lang|cort[ao]s?|larg[ao]s?|courte?s?)\b/i,
  /\b(?:diffs?|whole files?|snippets?|fragments?|patch(?:es)?)\b/i,
  /\b(?:bullets?|bullet points|lists?|prose|tables?)\b/i,
  /\b(?:call|address) me\b/i,
  /\b(?:metric|imperial|units|kilomet\p{L}+|miles)\b/iu,
  /\b(?:ring|phone|pager|text me|e-?mail me|letters)\b/i,
  /\b(?:in|auf|en) (?:english|german|french|spanish|deutsch|englisch|anglais|français|inglés|español)\b/i,
] as const

/** An instruction for some cases leaves the others as they were. */
const conditional = /\b(?:when|whenever|if|unless|in e-?mails?|for code|names?|before|after)\b/i

export function changesMatter(later: Instruction, earlier: Instruction): boolean {
  if (later.isForEverybody !== earlier.isForEverybody) return false
  if (conditional.test(later.sentence) || conditional.test(earlier.sentence)) return false
  return matters.some((matter) => matter.test(later.sentence) && matter.test(earlier.sentence))
}
