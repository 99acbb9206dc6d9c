/**
 * The question about links as rows of text, and the rows of the answer. A row is one line that begins with its label,
 * so no text passes for another row.
 */
import type { LinkQuestion, Links, TimedText } from './task-types.ts'

export function rowsOf({ events, matters }: LinkQuestion): string {
  const before = matters.map(({ label, events }) => `${label} ${events.map(row).join(' / ')}`)
  const now = events.map((event) => {
    const candidates = event.candidates.map(({ label }) => label)
    return [event.label, row(event), ...(candidates.length > 0 ? [`(${candidates.join(' ')}?)`] : [])].join(' ')
  })
  return [...before, ...now].join('\n')
}

function row({ text, on }: TimedText): string {
  return `${on} ${text.replaceAll(/\s+/g, ' ').trim()}`
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
