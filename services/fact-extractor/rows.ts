/**
 * The lines of a window as rows of text, which take a third of the tokens of objects. A row is one line of text and begins with its label, so
 * that no text passes for another row:
 *
 *   [1] standup, Monday 2026-03-02
 *   > Ben: How is the boat?
 *   1 Ann: I sold it yesterday. [shown: a boat]
 */
import { weekdayNames } from '@loomlog/language/calendar'
import type { BoxLines, WindowLines } from './task-types.ts'

/** The most characters of a line before the window, and of a conversation's name. */
const contextCharacters = 200
const nameCharacters = 40

export function rowsOf({ boxes }: WindowLines): string {
  return boxes.flatMap((box, index) => boxRows(box, index + 1)).join('\n')
}

/** Lines before the window begin with `>`. Each further day of a box is written once, before its first line. */
function boxRows({ conversation, lines, before }: BoxLines, number: number): readonly string[] {
  const opening = `[${number}] ${oneLine(cut(conversation, nameCharacters))}, ${dayOf(lines[0]?.said ?? '')}`
  const context = before.map(({ speaker, text }) => `> ${oneLine(`${speaker}: ${cut(text, contextCharacters)}`)}`)
  const rows = lines.flatMap(({ label, speaker, role, said, text, shown }, index) => {
    const isNewDay = index > 0 && lines[index - 1]?.said.slice(0, 10) !== said.slice(0, 10)
    const by = role === 'human' ? speaker : `${speaker} (${role})`
    const images = shown.length === 0 ? '' : ` [shown: ${shown.join('; ')}]`
    const row = oneLine(`${label} ${by}: ${text}${images}`)
    return isNewDay ? [`day ${dayOf(said)}`, row] : [row]
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
