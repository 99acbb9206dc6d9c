/**
 * The lines of a window as rows of text, which take a third of the tokens of objects. A row is one line of text and
 * begins with its label, so that no text passes for another row:
 *
 *   = standup, Monday 2026-03-02
 *   > Ben: How is the boat?
 *   1 Ann: I sold it yesterday. [shown: a boat]
 */
import { weekdayNames } from '@loomlog/language/calendar'
import type { DayLines, WindowLines } from './task-types.ts'

/** The most characters of a line before the window, and of a conversation's name. */
const contextCharacters = 200
const nameCharacters = 40

export function rowsOf({ days }: WindowLines): string {
  return days.flatMap(dayRows).join('\n')
}

/** Lines before the window begin with `>`. */
function dayRows({ conversation, lines, before }: DayLines): readonly string[] {
  const opening = `= ${oneLine(cut(conversation, nameCharacters))}, ${dayOf(lines[0]?.said ?? '')}`
  const context = before.map(({ speaker, text }) => `> ${oneLine(`${speaker}: ${cut(text, contextCharacters)}`)}`)
  const rows = lines.map(({ label, speaker, role, text, shown }) => {
    const name = speaker.replaceAll(/[:()]/g, ' ')
    const by = role === 'human' ? name : `${name} (${role})`
    const images = shown.length === 0 ? '' : ` [shown: ${shown.join('; ')}]`
    return oneLine(`${label} ${by}: ${text}${images}`)
  })
  return [opening, ...context, ...rows]
}

function dayOf(said: string): string {
  return `${weekdayNames[new Date(said).getUTCDay()]} ${said.slice(0, 10)}`
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
