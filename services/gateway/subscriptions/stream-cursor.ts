/**
 * Cursors of live replies, by the protocol: the number of the current interval, or more than the reader's own. So each live request of a reader has
 * another URL, and no cache between repeats an old reply.
 */
const intervalMs = 20_000
const epoch = Date.UTC(2024, 9, 9)
/** Random intervals beyond the reader's cursor: up to an hour. */
const mostJitter = 180

export function nextCursor(given: string | null): string {
  const current = Math.floor((Date.now() - epoch) / intervalMs)
  const theirs = given !== null && /^\d{1,12}$/.test(given) ? Number(given) : -1
  return String(theirs < current ? current : theirs + 1 + Math.floor(Math.random() * mostJitter))
}
