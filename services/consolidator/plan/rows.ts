/**
 * The input of the task as rows of text, which take a third of the tokens of objects. A row is one line and begins with
 * its label, so that no text passes for another row. The most frequent year of the times is written once.
 */

import { commonYear, withoutYear } from '@loomlog/language/closing-time'
import type { BatchInput } from '../task-types.ts'

export function rowsOf({ documents, facts, refused = [] }: BatchInput): string {
  const rows = [...documents.flatMap(({ entries }) => entries), ...facts]
  const year = commonYear(rows.map(({ time }) => time))
  const short = (time: string) => withoutYear(time, year)
  return [
    `year ${year}`,
    ...documents.flatMap(({ label, title, holds, entries }) => [
      oneLine(holds === '' ? `${label} ${title}` : `${label} ${title} | ${holds}`),
      ...entries.map((entry) => oneLine(`${entry.label} ${short(entry.time)} ${entry.heading}: ${entry.text}`)),
    ]),
    'facts',
    ...facts.map(({ label, isChange, time, kind, by, text }) => {
      const marks = [isChange ? 'change' : '', kind === 'state' ? '' : kind, by === null ? '' : `(${by})`].filter(
        (mark) => mark !== '',
      )
      return oneLine([label, short(time), ...marks, text].join(' '))
    }),
    ...refused.map((row) => oneLine(`! ${row}`)),
  ].join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
