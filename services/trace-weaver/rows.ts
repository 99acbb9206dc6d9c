/** The question about links as rows of text, and the answer's rows. A row is one line, and begins with its label, so that no text passes for another row. */
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

/** By event: the candidates that the answer names for it. A label that doesn't exist is no candidate. */
export function linksIn({ links }: Links): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const row of links) {
    const [event, ...candidates] = row.match(/\b[em]\d+\b/g) ?? []
    if (event !== undefined) found.set(event, new Set([...(found.get(event) ?? []), ...candidates]))
  }
  return found
}
