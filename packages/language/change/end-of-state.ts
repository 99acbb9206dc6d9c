/** The end of a state: `I am no longer a vegetarian` outdates `I'm a vegetarian`, of the same subject in the same words. */
import type { Ends } from './ends.ts'
import { containsPhrase } from './phrases.ts'

const ended = /^(?<before>(?:.{0,60} )?(?:am|is|are)) no longer (?<state>[^.!?;,]{2,60})[.!]?$/i

export function endOfState(written: string): Ends | null {
  const { before, state } = ended.exec(inFull(written))?.groups ?? {}
  if (before === undefined || state === undefined) return null
  return (earlier) => containsPhrase(inFull(earlier), `${before} ${state}`)
}

function inFull(sentence: string): string {
  return sentence
    .trim()
    .replaceAll('’', "'")
    .replace(/\b(I)'m\b/gi, '$1 am')
    .replace(/\b(he|she|it)'s\b/gi, '$1 is')
    .replace(/\b(we|you|they)'re\b/gi, '$1 are')
}
