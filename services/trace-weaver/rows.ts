/**
 * The question about links as rows of text, and the rows of the answer. A row is one line that begins with its label,
 * so no text passes for another row.
 */
import { closingTime, commonYear, withoutYear } from '@loomlog/language/closing-time'
import type { LinkQuestion, Links, TimedText } from './task-types.ts'

/** The most characters of a text: the gist of an event shows its matter. */
const maxText = 90

export function rowsOf({ events, matters }: LinkQuestion): string {
  const shown = [...matters.flatMap((matter) => matter.events), ...events]
  const year = commonYear(shown.map((each) => timed(each).time))
  const row = (each: TimedText) => {
    const { time, sentence } = timed(each)
    return `${withoutYear(time, year)} ${cut(sentence.replaceAll(/\s+/g, ' ').trim())}`
  }
  const before = matters.map(({ label, events }) => `${label} ${events.map(row).join(' / ')}`)
  const now = events.map((event) => {
    const candidates = event.candidates.map(({ label }) => label)
    return [event.label, row(event), ...(candidates.length > 0 ? [`(${candidates.join(' ')}?)`] : [])].join(' ')
  })
  return [`year ${year}`, ...before, ...now].join('\n')
}

/** The time that closes the text, apart from it. */
function timed({ text, on }: TimedText): { readonly time: string; readonly sentence: string } {
  return closingTime(text) ?? { time: on, sentence: text }
}

function cut(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text
}

/** By label of the event: the labels of its candidates in the answer. An unknown label matches no candidate. */
export function linksIn({ links }: Links): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const row of links) {
    const [event, ...candidates] = row.match(/\b[em]\d+\b/g) ?? []
    if (event !== undefined) found.set(event, new Set([...(found.get(event) ?? []), ...candidates]))
  }
  return found
}
