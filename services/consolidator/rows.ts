/**
 * The input of the task as rows of text, which take a third of the tokens of objects. A row is one line and begins with its label, so that no
 * text passes for another row. A year that all days share is written once.
 */

import type { BatchInput } from './task-types.ts'

export function rowsOf({ documents, facts, refused = [] }: BatchInput): string {
  const days = [...documents.flatMap(({ entries }) => entries), ...facts].map(({ day }) => day)
  const years = new Set(days.map((day) => day.slice(0, 4)))
  const [year = ''] = years
  const short = (day: string) => (years.size === 1 ? day.slice(5) : day)
  return [
    ...(years.size === 1 ? [`year ${year}`] : []),
    ...documents.flatMap(({ label, title, holds, entries }) => [
      oneLine(holds === '' ? `${label} ${title}` : `${label} ${title} | ${holds}`),
      ...entries.map((entry) => oneLine(`${entry.label} ${short(entry.day)} ${entry.heading}: ${entry.text}`)),
    ]),
    'facts',
    ...facts.map(({ label, day, kind, by, text }) => {
      const marks = [kind === 'state' ? '' : kind, by === null ? '' : `(${by})`].filter((mark) => mark !== '')
      return oneLine([label, short(day), ...marks, text].join(' '))
    }),
    ...refused.map((row) => oneLine(`! ${row}`)),
  ].join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
