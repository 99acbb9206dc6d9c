/**
 * Changes that name the old value and the new one: `from 80k to 65k`, `on the 16th, not the 14th`, `SQS instead of
 * RabbitMQ`. The earlier sentence has the old value and not the new one, and both share a further word.
 */
import { terms } from '../terms.ts'
import type { Ends, Sentence } from './ends.ts'
import { containsPhrase, speakOfOthers } from './phrases.ts'

const value = String.raw`(?:[\p{L}\p{N}£$€][\p{L}\p{N}£$€%.:/-]*(?: (?:\p{Lu}[\p{L}\p{N}-]*|\p{N}+|%|percent|euros?|pounds?|dollars?|minutes?|hours?|days?|weeks?|months?|am|pm)(?![\p{L}\p{N}]))*)`
const skipped = String.raw`(?:(?:the|a|an|our|my|on|at|in|by|with|to) )*`
const forms = [
  String.raw`\b(?:switched|changed|moved|went|gone|migrated|raised|lowered|reduced|cut|increased|decreased|dropped|rose|risen|upgraded|downgraded|bumped|shifted|swapped|postponed|rescheduled|extended|fell|fallen|renamed)\b[^.;,]{0,60}?\bfrom ${skipped}(?<old>${value}) to ${skipped}(?<current>${value})`,
  String.raw`(?:is|are|on|at|in|to|costs?) ${skipped}(?<current>${value})(?: now)?, not ${skipped}(?<old>${value})`,
  String.raw`(?<current>${value})(?: now)?,? (?:instead of|rather than) ${skipped}(?<old>${value})`,
  String.raw`\b(?:replaced|swapped|exchanged) ${skipped}(?<old>${value}) (?:with|by|for) ${skipped}(?<current>${value})`,
].map((form) => new RegExp(form, 'u'))

const [fromTo] = forms
/** The first words of a sentence, after an interjection. */
const subject = /^(?:(?:sorry|ok|okay|no|oh|well|actually|correction)[,:] )?(?<subject>\S+ \S+)/i

export function namedValues({ written, terms: all }: Sentence): Ends | null {
  for (const form of forms) {
    const found = form.exec(written)
    const [old, current] = [withoutEnd(found?.groups?.['old']), withoutEnd(found?.groups?.['current'])]
    if (found === null || old === '' || !isValue(old) || !isValue(current)) continue
    const verb = form === fromTo ? (/^\w+/.exec(found[0])?.[0] ?? '') : ''
    const named = new Set([...terms(old), ...terms(current), ...terms(verb)])
    const about = terms(written).filter((term) => !named.has(term) && /^\p{L}{2,}$/u.test(term))
    return (earlier) => {
      if (!containsPhrase(earlier.written, old) || containsPhrase(earlier.written, current)) return false
      const isSame =
        form === fromTo
          ? about.length > 0 && about.every((term) => earlier.terms.has(term))
          : about.some((term) => earlier.terms.has(term)) &&
            (subjectOf(earlier.written) === subjectOf(written) || isWithin(earlier, old, all))
      return isSame && !speakOfOthers([earlier.written, old], [written, current])
    }
  }
  return null
}

/** Whether the earlier sentence has no other words than the later one, beside the old value. */
function isWithin(earlier: Sentence, old: string, later: ReadonlySet<string>): boolean {
  const ofOld = new Set(terms(old))
  return [...earlier.terms].every((term) => ofOld.has(term) || later.has(term))
}

function subjectOf(sentence: string): string {
  return subject.exec(sentence.trim())?.groups?.['subject']?.toLowerCase() ?? ''
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
