/**
 * Scenarios of changes: short conversations, with marks that name, for each message, the earlier messages that it changes. README.md
 * describes the format.
 */
import { readFileSync } from 'node:fs'
import { LoomlogError } from '@loomlog/errors'

export const halves = ['tuning', 'held-out', 'spoken', 'blind'] as const
export type Half = (typeof halves)[number]

export interface Line {
  readonly speaker: string
  readonly role: 'human' | 'agent' | 'tool'
  /** ms since the beginning of the scenario. */
  readonly at: number
  readonly text: string
  /** Indexes of the earlier lines that this line changes. */
  readonly was: readonly number[]
  /** Indexes of the earlier lines that it only seems to change. */
  readonly alike: readonly number[]
}

export interface Scenario {
  readonly name: string
  readonly lines: readonly Line[]
}

const minuteMs = 60_000
const unitMs: Readonly<Record<string, number>> = { m: minuteMs, h: 60 * minuteMs, d: 24 * 60 * minuteMs }
const form =
  /^(?:\+(?<gap>\d+)(?<unit>[mhd]) )?(?<speaker>[^:[]+)(?:\[(?<role>agent|tool)\])?: (?<text>.*?)(?: <(?<was>[\d,]+))?(?: !(?<alike>[\d,]+))?$/

export function readScenarios(half: Half): readonly Scenario[] {
  return readFileSync(new URL(`./${half}.txt`, import.meta.url), 'utf8')
    .trim()
    .split(/\n{2,}/)
    .map(parseScenario)
}

export function parseScenario(block: string): Scenario {
  const [title = '', ...rows] = block.split('\n')
  const lines: Line[] = []
  for (const row of rows) {
    const { gap, unit = 'm', speaker = '', role, text = '', was = '', alike = '' } = form.exec(row)?.groups ?? {}
    if (text === '') throw new LoomlogError('input-invalid', `“${row}” is no line: expected “Speaker: text <1,2”`)
    lines.push({
      speaker,
      role: role === 'agent' || role === 'tool' ? role : 'human',
      at: (lines.at(-1)?.at ?? 0) + Number(gap ?? 1) * (unitMs[unit] ?? minuteMs),
      text,
      was: placesIn(was, lines.length, title),
      alike: placesIn(alike, lines.length, title),
    })
  }
  return { name: title.replace(/^# /, ''), lines }
}

/** @throws LoomlogError `input-invalid` for a mark that names no earlier line */
function placesIn(list: string, before: number, title: string): readonly number[] {
  const places = list.split(',').filter(Boolean).map(Number)
  const wrong = places.find((place) => place < 1 || place > before)
  if (wrong === undefined) return places.map((place) => place - 1)
  // The message has no text of the line: some files are only for measuring.
  const expected = before === 0 ? 'no mark on the first line' : `an earlier line, 1 to ${before}`
  throw new LoomlogError('input-invalid', `line ${before + 1} of “${title}” marks line ${wrong}: expected ${expected}`)
}
