/** Days of event time as text: 2023-05-07, UTC. */

const dayMs = 86_400_000
/** A cache of formatted days: the same few are formatted for every comparison. */
const maxDays = 4_096
const days = new Map<number, string>()

export function isoDay(at: number): string {
  const number = Math.floor(at / dayMs)
  const known = days.get(number)
  if (known !== undefined) return known
  const formatted = new Date(at).toISOString().slice(0, 10)
  if (days.size >= maxDays) days.clear()
  days.set(number, formatted)
  return formatted
}
