/** Scenarios of the change set: short conversations, and the pairs of messages of which the later one changes the earlier one. README.md has the format. */
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
  /** Indexes of the earlier lines that it seems to change and doesn't. */
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

function parseScenario(block: string): Scenario {
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
      was: placesIn(was),
      alike: placesIn(alike),
    })
  }
  return { name: title.replace(/^# /, ''), lines }
}

function placesIn(list: string): readonly number[] {
  return list
    .split(',')
    .filter(Boolean)
    .map((place) => Number(place) - 1)
}
