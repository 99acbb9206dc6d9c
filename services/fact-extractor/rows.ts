/** The lines of a window as rows of text, which take a third of the tokens of objects. A row is one line of text, and begins with its label. */
import type { BoxLines } from './task-types.ts'

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

type Rows = {
  readonly before: readonly string[]
  readonly lines: readonly string[]
  readonly participants: readonly string[]
}

/** Each day once, before its first line. */
export function rowsOf({ lines, before, participants }: BoxLines): Rows {
  const rows = lines.flatMap(({ label, speaker, role, said, text, shown }, index) => {
    const day = said.slice(0, 10)
    const isNewDay = lines[index - 1]?.said.slice(0, 10) !== day
    const by = role === 'human' ? speaker : `${speaker} (${role})`
    const along = shown.length === 0 ? '' : ` [shown: ${shown.join('; ')}]`
    const row = oneLine(`${label} ${by}: ${text}${along}`)
    return isNewDay ? [`day ${weekdays[new Date(said).getUTCDay()]} ${day}`, row] : [row]
  })
  return { before: before.map(({ speaker, text }) => oneLine(`${speaker}: ${text}`)), lines: rows, participants }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
