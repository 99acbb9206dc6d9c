/**
 * Spaces of two tenants for tests: pairs whose names are equal when tenant and space are joined, with the same ids in
 * each. All texts of a space have a word of its own, so a reply shows which spaces it reads.
 */
import { recordOf } from '@loomlog/intake/append'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { partitionOf } from '@loomlog/log/partition'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { LoomEvent, PublishedEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { tablesOf, viewId } from '@loomlog/views/catalogue'
import { memoryStore } from '@loomlog/views/in-memory'
import { project } from '@loomlog/views/project'
import { ViewReader } from '@loomlog/views/reader'

export interface NamedSpace {
  readonly tenant: string
  readonly space: string
}

const partitions = 4
const vectorSpace = { name: 'toy-2', dimensions: 2 }
const topics = ['utterances', 'topic-shifts', 'facts', 'consolidations'] as const
const at = Date.UTC(2026, 2, 2)

/** @param count the number of pairs: a space of `ab`, and the same name after a `b` as a space of `a` */
export function collidingSpaces(count: number, random: () => number): readonly NamedSpace[] {
  const names = new Set<string>()
  while (names.size < count) names.add(Math.floor(random() * 36 ** 4).toString(36))
  return [...names].flatMap((name) => [
    { tenant: 'ab', space: name },
    { tenant: 'a', space: `b${name}` },
  ])
}

const wordOf = (number: number) => `canary${number}zq`

/** The spaces whose words a text has. */
export function spacesNamedIn(text: string, spaces: readonly NamedSpace[]): readonly NamedSpace[] {
  const found = new Set<NamedSpace>()
  for (const [, number] of text.matchAll(/canary(\d+)zq/gi)) found.add(spaces[Number(number)] as NamedSpace)
  return [...found]
}

/** The memory of a space, by topic: the same in every space except for its words. */
function memoryOf(
  { tenant, space }: NamedSpace,
  word: string,
): { readonly [topic in (typeof topics)[number]]: readonly LoomEvent[] } {
  const lineage = { derivation: 'g', method: 'rules', causes: ['u0'], completions: [] }
  const common = { tenant, space, seq: 0, ordinal: 0, knownAt: at, lineage, keyId: null }
  const line = {
    conversation: 'c',
    speaker: 'Maya',
    at: new Date(at).toISOString(),
    text: `I live in ${word}.`,
    id: 'u0',
  }
  const said = { id: 'u0', seq: 0, at, attachments: [], text: line.text, speaker: 'Maya', role: 'human' } as const
  const about = {
    subject: 'Maya',
    relation: 'lives in',
    object: word,
    speaker: 'Maya',
    role: 'human',
    saidAt: at,
  } as const
  const named = {
    persons: ['Maya'],
    entities: [word],
    keywords: [word],
    sources: ['u0'],
    correction: null,
    inferred: [],
  } as const
  const document = { document: 'd0', kind: 'profile', title: `Maya ${word}` } as const
  return {
    utterances: [utteranceFrom(line, { tenant, space }, at)],
    'topic-shifts': [
      {
        type: 'BoxSealed',
        id: 'b0',
        ...common,
        conversation: 'c',
        cut: 'shift',
        topic: word,
        keywords: [word],
        utterances: [said],
        startedAt: at,
        endedAt: at,
      } as LoomEvent,
    ],
    facts: [
      {
        type: 'FactRecorded',
        id: 'f0',
        ...common,
        ...about,
        ...named,
        text: `Maya lives in ${word}.`,
        box: 'b0',
        conversation: 'c',
        when: null,
        location: null,
        kind: 'state',
        until: null,
        isChange: false,
        isInstruction: false,
      } as LoomEvent,
    ],
    consolidations: [
      {
        type: 'EntryWritten',
        id: 'e0',
        ...common,
        ...document,
        heading: word,
        when: null,
        validFrom: at,
        isOneOfSeveral: true,
        askedAs: [],
        until: null,
        saidAt: at,
        factKind: 'state',
        speaker: 'Maya',
        role: 'human',
        facts: ['f0'],
        sources: ['u0'],
        text: `Maya lives in ${word}.`,
      } as LoomEvent,
      {
        type: 'DocumentDescribed',
        id: 'x0',
        ...common,
        ...document,
        entity: `Maya ${word}`,
        summary: word,
        entries: 1,
        retitled: [],
      } as LoomEvent,
    ],
  }
}

/** Fills the log with the utterances and the feed of the spaces, and returns views of their memories. */
export async function plantSpaces(spaces: readonly NamedSpace[], log: Log, codec: Codec): Promise<ViewReader> {
  const planted = spaces.map((space, number) => ({
    key: spaceKey(space.tenant, space.space),
    memory: memoryOf(space, wordOf(number)),
    published: publishedIn(space, number),
  }))
  const said = planted.flatMap(({ memory }) => memory.utterances.map((event) => recordOf(event as never, codec)))
  await log.append('utterances', said)
  const records = planted.map(({ key, published }) => ({ key, value: codec.encode(published), timestamp: at }))
  await log.append('memory-events', records)
  const store = memoryStore()
  for (const topic of topics) {
    if (topic !== 'utterances') {
      await log.createTopic({ name: topic, partitions, retentionMs: null })
      const derived = planted.flatMap(({ key, memory }) =>
        memory[topic].map((event) => ({ key, value: codec.encode(event), timestamp: at })),
      )
      await log.append(topic, derived)
    }
    for (let partition = 0; partition < partitions; partition++) {
      const tables = tablesOf(topic)
      const shard = await store.write({ view: viewId(topic, vectorSpace.name), partition, tables, vectorSpace })
      const own = planted.filter(({ key }) => partitionOf(key, partitions) === partition)
      const changes = own.flatMap(({ key, memory }, offset) => {
        const record = { topic, partition, offset, key, timestamp: at }
        return memory[topic].flatMap((event) => project(event, record as never, tables))
      })
      for (const table of tables) {
        const ofTable = changes.filter((each) => each.table === table).map(({ change }) => change)
        await shard.apply({ table, changes: ofTable, watermark: own.length })
      }
      await shard.close()
    }
  }
  const sources = new Map(topics.map((topic) => [topic, topic] as const))
  return new ViewReader({ store, vectorSpace, partitions, sources })
}

function publishedIn({ tenant, space }: NamedSpace, number: number): PublishedEvent {
  const place = { id: `p${number}`, tenant, space, generation: 'g', at }
  const link = { memory: 'l0', trace: 't', title: wordOf(number), event: 'f0', previous: null, score: 1, position: 0 }
  return { type: 'LinkPublished', ...place, ...link, change: 'inserted', because: 'derived', keyId: null }
}
