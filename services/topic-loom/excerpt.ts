/**
 * The part of a block that a model reads: the unclear lines, numbered, each with a few lines around it. A line of a conversation is one line
 * of the excerpt, regardless of its text, so no text can pose as another line.
 */
import type { Line } from './lines.ts'

const contextBefore = 2
const contextAfter = 1
const charactersShown = 200
const speakerCharacters = 30

/** @param unclear indices of lines, in order; the first gets the number 1 */
export function excerpt(lines: readonly Line[], unclear: readonly number[]): string {
  const shown = new Set(
    unclear.flatMap((at) => Array.from({ length: contextBefore + 1 + contextAfter }, (_, i) => at - contextBefore + i)),
  )
  const first = lines.findIndex((_, at) => shown.has(at))
  const rows = lines.flatMap(({ speaker, text }, at) => {
    if (!shown.has(at)) return []
    const number = unclear.indexOf(at) + 1
    const row = `${number > 0 ? `${number} ` : ''}${oneLine(speaker, speakerCharacters)}: ${oneLine(text, charactersShown)}`
    return at > first && !shown.has(at - 1) ? ['…', row] : [row]
  })
  return rows.join('\n')
}

function oneLine(text: string, most: number): string {
  const flat = text
    .slice(0, 4 * most)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return (flat.length > most ? `${flat.slice(0, most)}…` : flat).toWellFormed()
}
