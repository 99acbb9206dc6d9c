/**
 * Reads a model's answer about a block: one row for each line that opens a box, such as `4 Ana's new boat; boat, sail`.
 */
import { maxKeywordChars, maxKeywords, maxTopicChars } from './label-limits.ts'
import type { Label, Shifts } from './task-types.ts'

/** The labels of the boxes that open, by the number of their first line. */
export type OpeningRows = ReadonlyMap<number, Label>

/**
 * The openings among the first `count` numbers. Rows that name no such number are left out. Null if there are rows and
 * none can be read, so that the rules decide.
 */
export function openingsIn(answer: Shifts, count: number): OpeningRows | null {
  const opened = new Map<number, Label>()
  for (const row of answer.new) {
    const [, digits = '', text = ''] = /^\D{0,2}(\d{1,3})\b[\s:.)-]*(.*)$/s.exec(row) ?? []
    const number = Number(digits)
    if (number >= 1 && number <= count && !opened.has(number)) opened.set(number, labelIn(text))
  }
  return opened.size === 0 && answer.new.length > 0 ? null : opened
}

function labelIn(text: string): Label {
  const [topic = '', words = ''] = text.split(';')
  const keywords = words
    .split(',')
    .map(tidy)
    .filter((word) => word !== '' && word.length <= maxKeywordChars)
  return { topic: tidy(topic).slice(0, maxTopicChars).toWellFormed(), keywords: keywords.slice(0, maxKeywords) }
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
