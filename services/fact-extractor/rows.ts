/**
 * The lines of a window as rows of text, which take a third of the tokens of objects. A row is one line of text and begins with its label, so
 * that no text passes for another row.
 */
import { weekdayNames } from '@loomlog/language/calendar'
import type { ConversationLines, WindowLines } from './task-types.ts'

/** The most characters of a line before the window. */
const contextCharacters = 200

/** `---` separates conversations. Refused facts begin with `?`. */
export function rowsOf({ stretches, refused = [] }: WindowLines): string {
  const lines = stretches.map((stretch) => stretchRows(stretch).join('\n')).join('\n---\n')
  return [lines, ...refused.map((row) => `? ${oneLine(row)}`)].join('\n')
}

/** Lines before the window begin with `>`. Each day is written once, before its first line. */
function stretchRows({ lines, before }: ConversationLines): readonly string[] {
  const context = before.map(({ speaker, text }) => `> ${oneLine(`${speaker}: ${cut(text)}`)}`)
  const rows = lines.flatMap(({ label, speaker, role, said, text, shown }, index) => {
    const day = said.slice(0, 10)
    const isNewDay = lines[index - 1]?.said.slice(0, 10) !== day
    const by = role === 'human' ? speaker : `${speaker} (${role})`
    const along = shown.length === 0 ? '' : ` [shown: ${shown.join('; ')}]`
    const row = oneLine(`${label} ${by}: ${text}${along}`)
    return isNewDay ? [`day ${weekdayNames[new Date(said).getUTCDay()]} ${day}`, row] : [row]
  })
  return [...context, ...rows]
}

function cut(text: string): string {
  return text.length > contextCharacters ? `${text.slice(0, contextCharacters).toWellFormed()}…` : text
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
