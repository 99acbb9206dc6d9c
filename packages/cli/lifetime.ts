/** Durations on the command line, such as 90d, and the ends of keys. */
import { invalidInput } from '@loomlog/errors/invalid-input'
import { timeFrom } from '@loomlog/recall/parameters'

const unitsMs: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const expectedDuration = 'a number with a unit of m, h, d or w, such as 24h'

/** In ms. Zero needs no unit. @throws LoomlogError `input-invalid` */
export function durationFrom(name: string, text: string): number {
  if (text === '0') return 0
  const ms = durationOf(text)
  if (ms === null) throw invalidInput(name, text, `0, or ${expectedDuration}`)
  return ms
}

/**
 * The end of a lifetime that begins now, in ms since the epoch. Null: `never`. A day stands for its beginning, in UTC.
 * @throws LoomlogError `input-invalid`
 */
export function expiryFrom(name: string, text: string, now: number): number | null {
  if (text === 'never') return null
  const ms = durationOf(text)
  if (ms !== null) return now + ms
  try {
    return timeFrom(name, text)
  } catch {
    throw invalidInput(name, text, `never; ${expectedDuration}; or a day or a time with a zone`)
  }
}

function durationOf(text: string): number | null {
  const [, number, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  return number === undefined ? null : Number(number) * (unitsMs[unit] ?? 0)
}
