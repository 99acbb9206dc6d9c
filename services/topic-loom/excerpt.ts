/**
 * The part of a block that a model reads: the unclear lines, each with a few lines around it, and every line numbered.
 * (Where only some lines had a number, a model counted the others too.) A line of a conversation is one line of the
 * excerpt, regardless of its text, so no text can pose as another line.
 */
import type { Line } from './lines.ts'

const contextBefore = 2
const contextAfter = 1
const charactersShown = 200
const speakerCharacters = 30

export interface Excerpt {
  readonly text: string
  /** By index of a line: its number, from 1. */
  readonly numbers: ReadonlyMap<number, number>
  /** The indices of lines without a line before them in the excerpt: it doesn't show whether they open a matter. */
  readonly firsts: ReadonlySet<number>
}

/** @param unclear indices of lines, in order */
export function excerpt(lines: readonly Line[], unclear: readonly number[]): Excerpt {
  const shown = new Set(
    unclear.flatMap((at) => Array.from({ length: contextBefore + 1 + contextAfter }, (_, i) => at - contextBefore + i)),
  )
  const numbers = new Map<number, number>()
  const firsts = new Set<number>()
  const rows = lines.flatMap(({ speaker, text }, at) => {
    if (!shown.has(at)) return []
    const isLater = numbers.size > 0
    const number = numbers.size + 1
    numbers.set(at, number)
    const row = `${number} ${oneLine(speaker, speakerCharacters)}: ${oneLine(text, charactersShown)}`
    if (shown.has(at - 1) && at > 0) return [row]
    firsts.add(at)
    return isLater ? ['…', row] : [row]
  })
  return { text: rows.join('\n'), numbers, firsts }
}

function oneLine(text: string, most: number): string {
  const flat = text
    .slice(0, 4 * most)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return (flat.length > most ? `${flat.slice(0, most)}…` : flat).toWellFormed()
}
