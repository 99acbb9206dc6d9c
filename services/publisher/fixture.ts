/**
 * For tests: a log with the derived topics of three generations, which random-memory.ts fills. It models their memories
 * without the projections of the views, so that the feed can be compared with them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { applyGenerationEvent } from '@loomlog/generations/fold'
import { type GenerationEvent, type Generations, noGenerations } from '@loomlog/generations/generations'
import { liveGeneration } from '@loomlog/generations/pointers'
import type { Log, Membership } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import type { LoomEvent, PublishedEvent } from '@loomlog/schemas/events'
import { canonicalJson, spaceKey } from '@loomlog/schemas/ids'
import { type PublisherOptions, publisherGroup, startPublisher } from './publisher.ts'

const partitions = 2

/** `b` shares boxes with `a`; `c` shares nothing. */
const generations = {
  a: { 'topic-loom': 't1', 'fact-extractor': 'f1', 'trace-weaver': 'w1', consolidator: 'c1' },
  b: { 'topic-loom': 't1', 'fact-extractor': 'f2', 'trace-weaver': 'w2', consolidator: 'c2' },
  c: { 'topic-loom': 't3', 'fact-extractor': 'f3', 'trace-weaver': 'w3', consolidator: 'c3' },
}
export type GenerationName = keyof typeof generations

const writes = { t: 'topic-shifts', f: 'facts', w: 'event-links', c: 'consolidations' }
const upstream = { t: null, f: 't', w: 'f', c: 'f' } as const

export const derivations = ['t1', 'f1', 'w1', 'c1', 'f2', 'w2', 'c2', 't3', 'f3', 'w3', 'c3']

export function topicOf(derivation: string): string {
  return `${writes[derivation[0] as keyof typeof writes]}.${derivation}`
}

function definitionsOf(name: GenerationName): readonly GenerationEvent[] {
  const stages = Object.entries(generations[name])
  const defined = stages.map(([stage, id]): GenerationEvent => {
    const letter = upstream[id[0] as keyof typeof upstream]
    const reads = letter === null ? null : (stages.find(([, other]) => other.startsWith(letter))?.[1] ?? null)
    const recipe = { stage, revision: 1, parameters: {}, model: null, embedder: null, scope: 'all', reads }
    return { type: 'DerivationDefined', id, stage, recipe: canonicalJson(recipe), prompts: {} }
  })
  const of = { type: 'GenerationDefined', id: name, derivations: generations[name], viewEmbedder: 'toy' } as const
  const started = { type: 'GenerationStatusChanged', generation: name, previous: 'defined', status: 'running' } as const
  const run: readonly GenerationEvent[] = name === 'a' ? [] : [{ ...started, share: null, at: 1 }]
  return [...defined, { ...of, name: null, chosen: {}, at: 1 }, ...run]
}

export interface PublisherFixture {
  readonly dir: string
  readonly log: Log
  readonly codec: Codec
  readonly errors: unknown[]
  readonly known: { current: Generations }
  append(topic: string, events: readonly LoomEvent[]): Promise<void>
  /** Appends watermarks to every topic that cover all utterances so far. */
  advance(): Promise<void>
  promote(generation: GenerationName, tenant?: string | null): void
  /** The derivations that are live for a tenant. */
  live(tenant: string): readonly string[]
  start(options?: Partial<PublisherOptions>): Promise<Membership>
  untilPublished(): Promise<void>
  feed(): Promise<readonly PublishedEvent[]>
}

interface AfterHook {
  after(end: () => Promise<unknown>): void
}

/** @param open opens the log; default: an embedded one in the folder */
export async function publisherFixture(
  t: AfterHook,
  open: (dir: string) => Promise<Log> | Log = (dir) => openSqliteLog({ dir }),
): Promise<PublisherFixture> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-publisher-'))
  const log = await open(dir)
  const names = ['utterances', 'memory-events', 'webhooks', ...derivations.map(topicOf)]
  for (const name of names) await log.createTopic({ name, partitions, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const defined = (Object.keys(generations) as GenerationName[]).flatMap(definitionsOf)
  const known = { current: defined.reduce(applyGenerationEvent, noGenerations) }
  const errors: unknown[] = []
  const members = new Set<Membership>()
  t.after(async () => {
    for (const member of members) await member.close()
    await log.close()
    await rm(dir, { recursive: true, maxRetries: 5 })
  })
  const timestamp = 0
  return {
    dir,
    log,
    codec,
    errors,
    known,
    async append(topic, events) {
      const keyed = events as readonly (LoomEvent & { tenant: string; space: string })[]
      const record = (event: (typeof keyed)[number]) => ({ key: spaceKey(event.tenant, event.space), timestamp })
      await log.append(
        topic,
        keyed.map((event) => ({ ...record(event), value: codec.encode(event) })),
      )
    },
    async advance() {
      const ends = await log.endOffsets('utterances')
      for (const derivation of derivations) {
        const marks = ends.map((offset, partition) => {
          const value = codec.encode({ type: 'WatermarkAdvanced', derivation, offset })
          return { key: null, partition, value, timestamp }
        })
        await log.append(topicOf(derivation), marks)
      }
    },
    promote(generation, tenant = null) {
      const previous = liveGeneration(known.current, tenant)?.generation ?? null
      const cause = previous === null ? 'first' : 'promoted'
      known.current = applyGenerationEvent(known.current, {
        type: 'GenerationPromoted',
        generation,
        tenant,
        previous,
        cause,
        at: 1,
      })
    },
    live(tenant) {
      const { generation = 'a' } = liveGeneration(known.current, tenant) ?? {}
      return Object.values(generations[generation as GenerationName])
    },
    async start(options = {}) {
      const onError = (error: unknown) => errors.push(error)
      const member = await startPublisher({
        log,
        codec,
        follower: known,
        sessionMs: 500,
        onError,
        ...options,
      })
      members.add(member)
      return member
    },
    async untilPublished() {
      const ends = await log.endOffsets('utterances')
      for (const deadline = Date.now() + 60_000; ; await sleep(20)) {
        const groups = (await log.groups()).filter(({ group }) => group === publisherGroup)
        const isDone = ends.every((end, at) => groups.find(({ partition }) => partition === at)?.position === end)
        if (isDone) return
        if (Date.now() > deadline) throw new Error(`not published: ${JSON.stringify(groups)} of ${ends}: ${errors}`)
      }
    },
    async feed() {
      const events: PublishedEvent[] = []
      for await (const records of log.read({ topic: 'memory-events', until: 'end' }))
        for (const { value } of records) events.push((await codec.decode(value)) as PublishedEvent)
      return events
    },
  }
}
