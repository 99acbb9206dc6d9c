/** Times, numbers and identifiers in words. */

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' })
const counted = new Intl.NumberFormat('en-GB')

export const momentText = (at: number) => moment.format(at)
export const dayText = (at: number) => day.format(at)
export const clockText = (at: number) => clock.format(at)
export const countText = (count: number) => counted.format(count)

/** `1 fact`, `3 facts`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

export function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1_000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

/** The first characters of an id: enough for a person to tell two apart. */
export const shortId = (id: string) => (id.length > 14 ? `${id.slice(0, 8)}…` : id)

/** Such as `450 ms`, `12 s`, `3 min`, `2 h`. */
export function durationText(ms: number): string {
  const [unit, name] = durations.findLast(([least]) => ms >= least * 2) ?? [1, 'ms']
  return `${countText(Math.round(ms / unit))} ${name}`
}

const durations: readonly (readonly [number, string])[] = [
  [1, 'ms'],
  [1_000, 's'],
  [60_000, 'min'],
  [3_600_000, 'h'],
  [86_400_000, 'd'],
]
