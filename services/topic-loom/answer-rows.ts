/** Reads a model's answer about a block: one row for each line that opens a box, such as `4 Ana's new boat; boat, sail`. */
import type { Label, Shifts } from './task-types.ts'

/** By the number of the line: the label of the box that it opens. */
export type OpeningRows = ReadonlyMap<number, Label>

const longestTopic = 120
const longestKeyword = 60
const maxKeywords = 8

/**
 * The openings among the first `count` numbers. Rows that name no such number are left out. Null if there are rows and none can be read: then
 * the answer says nothing.
 */
export function openedIn(answer: Shifts, count: number): OpeningRows | null {
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
    .filter((word) => word !== '' && word.length <= longestKeyword)
  return { topic: tidy(topic).slice(0, longestTopic).toWellFormed(), keywords: keywords.slice(0, maxKeywords) }
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
