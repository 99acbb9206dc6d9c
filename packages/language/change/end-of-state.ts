/**
 * The end of a state: `I am no longer a vegetarian` outdates `I'm a vegetarian`, of the same subject in the same words.
 */
import type { Ends, Sentence } from './ends.ts'
import { beginsWithPronoun } from './phrases.ts'

const ended = /^(?<before>\S.{0,60} (?:am|is|are)|I am) no longer (?<state>[^.!?;,]{2,60})[.!]?$/i

export function endOfState({ inFull }: Sentence): Ends | null {
  const { before, state } = ended.exec(inFull)?.groups ?? {}
  if (before === undefined || state === undefined || beginsWithPronoun(before)) return null
  const stated = `${before} ${state}`.toLowerCase()
  return (earlier) => {
    const text = earlier.inFull.toLowerCase()
    return text.startsWith(stated) && !/[\p{L}\p{N}]/u.test(text.charAt(stated.length))
  }
}
