/**
 * The utterances that may answer a question, with everything that speaks for them. They are found by their words and by their meaning, through
 * the facts, boxes and events that were made of them, and as neighbours of the best ones, which are read in full because what is
 * meant is often said a turn earlier. In the order of conversation and time, so that neighbours stand beside each other.
 */
import { cosine } from '@loomlog/language/cosine'
import { wordsOf } from '@loomlog/schemas/words'
import type { TableName } from '@loomlog/views/catalogue'
import { type Condition, sql } from '@loomlog/views/condition'
import type { FoundRow } from '@loomlog/views/row'
import type { Hit } from '@loomlog/views/search'
import { contentWords } from './hybrid.ts'
import { type Kind, type Memory, memoryOf, payloadOf, type Scored } from './memory.ts'
import type { RecallOptions } from './recall.ts'
import { type Stems, stemsOf } from './stems.ts'
import { memoryOfTail, readTail, type TailUtterance } from './tail.ts'
import { conditionOn, holdsFor, type Within } from './within.ts'

export interface PoolSearch {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  /** Of the question, and of the question as a statement, where it can be made one. */
  readonly vectors: readonly Float32Array[]
  readonly within: Within
}

export interface Candidate {
  readonly memory: Memory
  readonly words: string
  readonly stems: Stems
  /** With the question, and with the question as a statement; as near as the last that was found, for those that weren't. */
  readonly cosines: readonly number[]
  /** Of the facts that cite it: the best share of the best full-text score, the best cosines, and how many were found. */
  readonly facts: { readonly share: number; readonly cosines: readonly number[]; readonly count: number }
  readonly boxCosine: number
  readonly eventCosine: number
}

const limits = { utterances: 300, facts: 120, boxes: 60, events: 40 }
/** Utterances whose neighbours are read, how far around them, and how many rows at most. */
const centres = 40
const neighbourMs = 10 * 60_000
const maxNeighbours = 1_000
/** Utterances that only a fact, an event or a box led to. */
const maxCited = 300
/** What no view has seen yet has no vector there; of so many, the newest, it is made at the time of the question. */
const maxTailEmbedded = 16

type Scores = ReadonlyMap<string, number>

export interface Pool {
  readonly candidates: readonly Candidate[]
  /** What was found without any of the utterances that it goes back to; it can only speak for itself. */
  readonly orphans: readonly Scored[]
}

export async function poolOf(search: PoolSearch, options: RecallOptions): Promise<Pool> {
  // The tail first: what it lacks because the view has it by now is then found there.
  const tail = await tailFor(search, options)
  const [said, facts, boxes, events] = await Promise.all([
    searchTable('utterances', search, options),
    searchTable('facts', search, options),
    searchTable('boxes', search, options),
    searchTable('events', search, options),
  ])
  const proxies = {
    shares: bestBySource(facts.rows, facts.shares),
    cosines: facts.cosines.map((cosines) => bestBySource(facts.rows, cosines)),
    boxes: bestBySource(boxes.rows, boxes.cosines[0]),
    events: bestBySource(events.rows, events.cosines[0]),
  }
  const counts = countBySource(facts.rows)
  const sources = [facts, events, boxes].flatMap(({ rows }) => [...rows.values()].flatMap(sourcesOf))
  const cited = [...new Set(sources)].filter((id) => !said.rows.has(id)).slice(0, maxCited)
  const promising = (id: string) =>
    (said.shares.get(id) ?? 0) + (said.cosines[0]?.get(id) ?? 0) + (proxies.shares.get(id) ?? 0)
  const best = [...said.rows.values()].sort((a, b) => promising(b.id) - promising(a.id)).slice(0, centres)
  const more = await Promise.all([byIds(cited, search, options), neighbours(best, search, options)])
  const rows = new Map([...said.rows.values(), ...more.flat()].map((row) => [row.id, row]))
  const floors = said.cosines.map((cosines) => Math.min(...cosines.values(), 1))
  const inView = [...rows.values()].map((row) => ({ memory: memoryOf('utterance', row), offset: row.offset }))
  const inTail = tail
    .filter(({ event }) => !rows.has(event.id))
    .map(({ event, record }) => ({ memory: memoryOfTail(event), offset: record.offset }))
  const newest = inTail.slice(-maxTailEmbedded).map(({ memory }) => memory)
  const tailCosines = await cosinesOf(newest, search, options)
  const candidates = [...inView, ...inTail].sort(inOrder).map(({ memory }) => {
    const { id, text, speaker } = memory
    const words = text.startsWith(`${speaker}: `) ? text.slice(speaker.length + 2) : text
    return {
      memory,
      words,
      stems: stemsOf(words),
      cosines: said.cosines.map((cosines, at) => cosines.get(id) ?? tailCosines.get(id)?.[at] ?? floors[at] ?? 0),
      facts: {
        share: proxies.shares.get(id) ?? 0,
        // What no processor has seen yet speaks for itself.
        cosines: tailCosines.get(id) ?? proxies.cosines.map((cosines) => cosines.get(id) ?? 0),
        count: counts.get(id) ?? 0,
      },
      boxCosine: tailCosines.get(id)?.[0] ?? proxies.boxes.get(id) ?? 0,
      eventCosine: tailCosines.get(id)?.[0] ?? proxies.events.get(id) ?? 0,
    }
  })
  const known = new Set(candidates.map(({ memory }) => memory.id))
  const notThere = new Set(cited.filter((id) => !known.has(id)))
  const orphans = [
    ...orphansOf('fact', facts, notThere),
    ...orphansOf('box', boxes, notThere),
    ...orphansOf('event', events, notThere),
  ]
  return { candidates, orphans }
}

function orphansOf(kind: Kind, { rows, shares, cosines }: Found, notThere: ReadonlySet<string>): readonly Scored[] {
  return [...rows.values()]
    .filter((row) => shares.has(row.id) && sourcesOf(row).every((id) => notThere.has(id)))
    .map((row) => ({ ...memoryOf(kind, row), score: ((shares.get(row.id) ?? 0) + (cosines[0]?.get(row.id) ?? 0)) / 2 }))
}

/** What no view has seen is found by its words: it is a candidate where it holds some of the question's. */
async function tailFor(
  { space, query, within }: PoolSearch,
  options: RecallOptions,
): Promise<readonly TailUtterance[]> {
  const asked = stemsOf(query).counts
  const holdsSome = (words: string) => [...stemsOf(words).counts.keys()].some((stem) => asked.has(stem))
  const tail = await readTail(space, options)
  return tail.filter(({ event }) => holdsFor(event, within) && holdsSome(`${event.speaker}: ${wordsOf(event)}`))
}

async function cosinesOf(
  memories: readonly Memory[],
  { vectors }: PoolSearch,
  { embedder }: RecallOptions,
): Promise<ReadonlyMap<string, readonly number[]>> {
  if (memories.length === 0) return new Map()
  const own = await embedder.embed(memories.map(({ text }) => text))
  const near = (at: number) => vectors.map((vector) => Math.max(0, cosine(vector, own[at] ?? vector)))
  return new Map(memories.map(({ id }, at) => [id, near(at)]))
}

interface Found {
  readonly rows: ReadonlyMap<string, FoundRow>
  /** Of the best full-text score. */
  readonly shares: Scores
  /** By vector of the search. */
  readonly cosines: readonly Scores[]
}

async function searchTable(
  table: keyof typeof limits,
  { space, query, vectors, within }: PoolSearch,
  { views }: RecallOptions,
): Promise<Found> {
  const view = await views.view(table, space)
  if (view === null) return { rows: new Map(), shares: new Map(), cosines: vectors.map(() => new Map()) }
  const search = { space, where: conditionOn(table, within), limit: limits[table] }
  // What boxes and events are about is told by the question itself.
  const used = table === 'boxes' || table === 'events' ? vectors.slice(0, 1) : vectors
  const [byWords, ...byMeaning] = await Promise.all([
    view.shard.fullText(table, { ...search, query: contentWords(query) }),
    ...used.map((vector) => view.shard.nearest(table, { ...search, vector })),
  ])
  const best = byWords[0]?.score ?? 1
  return {
    rows: new Map([...byWords, ...byMeaning.flat()].map(({ row }) => [row.id, row])),
    shares: scoresBy(byWords, (score) => score / best),
    cosines: byMeaning.map((hits) => scoresBy(hits, (score) => Math.max(0, score))),
  }
}

function scoresBy(hits: readonly Hit[], scaled: (score: number) => number): Scores {
  return new Map(hits.map(({ row, score }) => [row.id, scaled(score)]))
}

function sourcesOf(row: FoundRow): readonly string[] {
  const { sources, utterances } = payloadOf(row)
  return sources ?? utterances?.map(({ id }) => id) ?? []
}

function bestBySource(rows: ReadonlyMap<string, FoundRow>, scores: Scores = new Map()): Scores {
  const best = new Map<string, number>()
  for (const [id, score] of scores) {
    const row = rows.get(id)
    for (const source of row ? sourcesOf(row) : []) best.set(source, Math.max(score, best.get(source) ?? 0))
  }
  return best
}

function countBySource(rows: ReadonlyMap<string, FoundRow>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows.values()) {
    for (const source of sourcesOf(row)) counts.set(source, (counts.get(source) ?? 0) + 1)
  }
  return counts
}

async function byIds(ids: readonly string[], search: PoolSearch, options: RecallOptions): Promise<readonly FoundRow[]> {
  if (ids.length === 0) return []
  return scanned('utterances', sql`id IN ${ids}`, ids.length, search, options)
}

/** What was said around the best, each stretch of time of a conversation asked for once. */
async function neighbours(
  best: readonly FoundRow[],
  search: PoolSearch,
  options: RecallOptions,
): Promise<readonly FoundRow[]> {
  const stretches: Condition[] = []
  for (const [conversation, rows] of Map.groupBy(best, (row) => row.conversation)) {
    const times = rows.flatMap(({ at }) => (at === null ? [] : [at])).sort((a, b) => a - b)
    let from = times[0] ?? 0
    for (const [place, at] of times.entries()) {
      const next = times[place + 1]
      if (next !== undefined && next - at <= 2 * neighbourMs) continue
      stretches.push(sql`conversation = ${conversation} AND at >= ${from - neighbourMs} AND at <= ${at + neighbourMs}`)
      from = next ?? 0
    }
  }
  if (stretches.length === 0) return []
  const where = stretches.reduce((joined, stretch) => sql`${joined} OR ${stretch}`)
  return scanned('utterances', where, maxNeighbours, search, options)
}

async function scanned(
  table: TableName,
  where: Condition,
  limit: number,
  { space, within }: PoolSearch,
  { views }: RecallOptions,
): Promise<readonly FoundRow[]> {
  const view = await views.view(table, space)
  if (view === null) return []
  return await view.shard.scan(table, { space, where: sql`${conditionOn(table, within)} AND ${where}`, limit })
}

function inOrder(
  a: { readonly memory: Memory; readonly offset: number },
  b: { readonly memory: Memory; readonly offset: number },
): number {
  if (a.memory.conversation !== b.memory.conversation) return a.memory.conversation < b.memory.conversation ? -1 : 1
  return (a.memory.at ?? 0) - (b.memory.at ?? 0) || a.offset - b.offset || (a.memory.id < b.memory.id ? -1 : 1)
}
