/**
 * The routes of the feed: of a tenant, and of one space; and of a space's utterances as they are appended. A live
 * reader counts among `liveReaders` until it leaves, and is listed for its tenant. A live reply ends when its key or
 * token ends, and when the server closes; readers then resume elsewhere.
 */
import type { Access } from '@loomlog/access/caller'
import { invalidInput } from '@loomlog/errors/invalid-input'
import { type MessageTopic, memoryEvents } from '@loomlog/feed/feed-message'
import type { FeedScope } from '@loomlog/feed/feed-reader'
import { FeedTail, type FeedTailOptions } from '@loomlog/feed/feed-tail'
import { utteranceMessages } from '@loomlog/feed/utterance-message'
import { checkedAddress } from '@loomlog/intake/utterance'
import type { Log } from '@loomlog/log/port'
import { type CloudEventType, cloudEventTypes } from '@loomlog/schemas/cloud-events'
import type { Codec } from '@loomlog/schemas/codec'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callerNameOrLocal, tenantOf, watchCaller } from '../access/route-access.ts'
import type { ReadingCaller, ReadSlots } from '../read-slots.ts'
import { type PageRequest, pageOf } from '../routes/page-cursor.ts'
import { defaultFeedLimits, type FeedLimits } from './feed-limits.ts'
import { feedRoute, subscribersRoute, utterancesRoute } from './feed-schema.ts'
import { feedSource } from './feed-source.ts'
import { LiveReaders, type Subscriber } from './live-readers.ts'
import { headOf, serveStream } from './read-stream.ts'

export interface FeedRouteOptions extends Pick<FeedTailOptions, 'beginningOf'> {
  readonly log: Log
  readonly codec: Codec
  /** Partitions of `memory-events`. */
  readonly partitions: number
  readonly feedLimits?: Partial<FeedLimits>
}

interface FeedRouteParts extends FeedRouteOptions {
  /** For reads of the log. */
  readonly slots: ReadSlots
  readonly access: Access
  readerOf(reply: FastifyReply): ReadingCaller
}

export function serveFeeds(app: FastifyInstance, parts: FeedRouteParts): void {
  const { log, codec, partitions, slots, access, beginningOf } = parts
  const limits = { ...defaultFeedLimits, ...parts.feedLimits }
  const tailOf = (topic: MessageTopic) => ({
    topic: topic.name,
    tail: new FeedTail({ topic, log, codec, limits, beginningOf, onRetryableError: (error) => app.log.warn(error) }),
  })
  const [feed, utterances] = [tailOf(memoryEvents), tailOf(utteranceMessages)]
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  app.addHook('onClose', async () => void (await Promise.all([feed.tail.close(), utterances.tail.close()])))
  const readers = new LiveReaders(limits.liveReaders)

  type TailedTopic = ReturnType<typeof tailOf>
  async function serve(
    { topic, tail }: TailedTopic,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { type, live } = request.query as { readonly type?: string | readonly string[]; readonly live?: string }
    const scope = { ...scopeOf(request), types: typesFrom(type) }
    const { name, departure } = parts.readerOf(reply)
    const admit = <T>(signal: AbortSignal, work: () => Promise<T>) => slots.run({ name, departure: signal }, work)
    const source = feedSource(scope, { log, codec, partitions, admit, tail, limits })
    if (request.method === 'HEAD') return headOf(source, reply)
    const ends = [departure, closing.signal]
    if (live === undefined) return serveStream(source, request, reply, { limits, signal: AbortSignal.any(ends) })
    const { tenant, spaces } = scope
    const types = scope.types && [...scope.types].toSorted()
    const caller = callerNameOrLocal(request)
    const reader = readers.admit({ name: caller, tenant, space: spaces?.[0] ?? null, topic, types, live }, source)
    const credential = watchCaller(access, request)
    const signal = AbortSignal.any([...ends, credential.signal])
    try {
      return await serveStream(reader.source, request, reply, { limits, signal })
    } finally {
      credential.stop()
      reader.leave()
    }
  }
  app.get('/v1/feed', feedRoute('tenant'), (request, reply) => serve(feed, request, reply))
  app.get('/v1/spaces/:space/feed', feedRoute('space'), (request, reply) => serve(feed, request, reply))
  app.get<{ Querystring: PageRequest }>('/v1/subscribers', subscribersRoute, async (request) => {
    const tenant = tenantOf(request as FastifyRequest)
    const order = { list: `subscribers ${tenant}`, types: ['number', 'string'] } as const
    const keyOf = ({ since, id }: Subscriber) => [since, id]
    const { items, next } = pageOf(readers.of(tenant), request.query, { ...order, keyOf })
    return { subscribers: items, next }
  })
  app.get('/v1/spaces/:space/utterances', utterancesRoute, (request, reply) => serve(utterances, request, reply))
}

/** The tenant of the request, and the space if the path names one. */
function scopeOf(request: FastifyRequest): Pick<FeedScope, 'tenant' | 'spaces'> {
  const { space } = request.params as { readonly space?: string }
  if (space === undefined) return { tenant: tenantOf(request), spaces: null }
  return { tenant: tenantOf(request), spaces: [checkedAddress({ tenant: tenantOf(request), space }).space] }
}

function typesFrom(given: string | readonly string[] | undefined): ReadonlySet<CloudEventType> | null {
  if (given === undefined) return null
  const types = [given].flat()
  const wrong = types.find((type) => !cloudEventTypes.some((known) => known === type))
  if (wrong !== undefined) throw invalidInput('type', wrong, cloudEventTypes.join(', '))
  return new Set(types as readonly CloudEventType[])
}
