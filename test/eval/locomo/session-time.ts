/** The time of a LoCoMo session in ms: "1:56 pm on 8 May, 2023", in UTC. */
export function sessionTime(text: string): number {
  const match = /^(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)$/.exec(text)
  if (!match) throw new Error(`no session date: ${text}`)
  const [, hour, minute, half, day, month, year] = match
  const date = Date.parse(`${day} ${month} ${year} 00:00:00 UTC`)
  return date + (((Number(hour) % 12) + (half === 'pm' ? 12 : 0)) * 60 + Number(minute)) * 60_000
}
