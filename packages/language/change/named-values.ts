/**
 * Changes that name the old value and the new one: `from 80k to 65k`, `on the 16th, not the 14th`, `SQS instead of RabbitMQ`. The earlier
 * sentence has the old value and not the new one, and both share a further word.
 */
import { terms } from '../terms.ts'
import type { Ends } from './ends.ts'
import { containsPhrase, speakOfOthers } from './phrases.ts'

const value = String.raw`(?:[\p{L}\p{N}£$€][\p{L}\p{N}£$€%.:/-]*(?: (?:\p{Lu}[\p{L}\p{N}-]*|\p{N}+|%|percent|euros?|pounds?|dollars?|minutes?|hours?|days?|weeks?|months?|am|pm)(?![\p{L}\p{N}]))*)`
const skipped = String.raw`(?:(?:the|a|an|our|my|on|at|in|by|with|to) )*`
const forms = [
  String.raw`\b(?:switch|chang|mov|went|go|goes|gone|migrat|rais|lower|reduc|cut|increas|decreas|drop|rose|upgrad|downgrad|bump|shift|swap|postpon|reschedul|extend|came|fell|renam)\w*\b[^.;,]{0,60}?\bfrom ${skipped}(?<old>${value}) to ${skipped}(?<current>${value})`,
  String.raw`(?:is|are|on|at|in|to|costs?) ${skipped}(?<current>${value})(?: now)?, not ${skipped}(?<old>${value})`,
  String.raw`(?<current>${value})(?: now)?,? (?:instead of|rather than) ${skipped}(?<old>${value})`,
  String.raw`\b(?:replaced|swapped|exchanged) ${skipped}(?<old>${value}) (?:with|by|for) ${skipped}(?<current>${value})`,
].map((form) => new RegExp(form, 'u'))

export function namedValues(written: string): Ends | null {
  for (const form of forms) {
    const groups = form.exec(written)?.groups
    const [old, current] = [withoutEnd(groups?.['old']), withoutEnd(groups?.['current'])]
    if (old === '' || !isValue(old) || !isValue(current)) continue
    const named = new Set([...terms(old), ...terms(current)])
    const about = terms(written).filter((term) => !named.has(term) && /^\p{L}{2,}$/u.test(term))
    return (earlier) => {
      if (!containsPhrase(earlier, old) || containsPhrase(earlier, current)) return false
      const words = new Set(terms(earlier))
      return about.some((term) => words.has(term)) && !speakOfOthers([earlier, old], [written, current])
    }
  }
  return null
}

function withoutEnd(value = ''): string {
  let end = value.length
  while (/[.:/-]/.test(value.charAt(end - 1))) end -= 1
  return value.slice(0, end)
}

/** A word that means something, or a number; one of two digits without a unit may count anything. */
function isValue(text: string): boolean {
  return !/^\d{1,2}$/.test(text) && (/\p{N}/u.test(text) || terms(text).length > 0)
}
