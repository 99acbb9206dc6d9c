/**
 * Cursors of live replies, by the protocol. A cursor is the number of the current interval, and above the reader's own
 * cursor in any case. So each live request of a reader has another URL, and no HTTP cache repeats an old reply.
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
