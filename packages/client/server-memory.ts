/** The memory of a tenant on a server, over HTTP. */
import type { ImportedEvent } from '@loomlog/intake/formats'
import { appendEvents } from './append-events.ts'
import { type LoomlogClient, path } from './loomlog-client.ts'
import type { FeedReading, Memory, MemorySpace } from './memory.ts'

export function serverMemory(client: LoomlogClient): Memory {
  return {
    space: (name) => serverSpace(client, name),
    append: (events: readonly ImportedEvent[], options) => appendEvents(client, events, options),
    events: (reading) => feedOf(client, reading),
    close: async () => {},
  }
}

function serverSpace(client: LoomlogClient, space: string): MemorySpace {
  return {
    recall: (query, parameters) => client.post(path`/v1/spaces/${space}/recall`, { ...parameters, query }),
    context: (query, parameters) => client.post(path`/v1/spaces/${space}/context`, { ...parameters, query }),
    correct: (correction) => client.post(path`/v1/spaces/${space}/corrections`, correction),
    retract: (retraction) => client.post(path`/v1/spaces/${space}/retractions`, retraction),
    why: (id) => client.get(path`/v1/spaces/${space}/memories/${id}/why`),
    impact: (id, { limit }) => client.get(path`/v1/spaces/${space}/memories/${id}/impact`, { limit }),
    useTool: (name, input) => client.post(path`/v1/spaces/${space}/tools/${name}`, input),
  }
}

async function* feedOf(client: LoomlogClient, { until, signal }: FeedReading): AsyncGenerator<object> {
  for (let offset = '-1'; !signal.aborted; ) {
    const isFollowing = until === 'follow' && offset !== '-1'
    const { events, next } = await client.feed('/v1/feed', { offset, ...(isFollowing && { live: 'long-poll' }) })
    yield* events
    if (until === 'end' && next === offset) return
    offset = next
  }
}
