/** `loomlog tail memory-events --url`: the feed of the tenant as JSON lines, to its end, or with --follow as events arrive. */
import type { LoomlogClient } from '@loomlog/client/loomlog-client'
import { LoomlogError } from '@loomlog/errors'
import { printJson } from '../print.ts'

const topic = 'memory-events'

/** @throws LoomlogError `input-invalid`: a server shows no other topic */
export async function tailFeed(
  server: LoomlogClient,
  tail: { readonly topic: string; readonly until: 'end' | 'follow' },
  signal: AbortSignal,
): Promise<void> {
  if (tail.topic !== topic)
    throw new LoomlogError('input-invalid', `the topic is ${tail.topic}: expected ${topic}, the only one of a server`)
  for (let offset = '-1'; !signal.aborted; ) {
    const isFollowing = tail.until === 'follow' && offset !== '-1'
    const { events, next } = await server.feed('/v1/feed', { offset, ...(isFollowing && { live: 'long-poll' }) })
    for (const event of events) printJson(event)
    if (tail.until === 'end' && next === offset) return
    offset = next
  }
}
