/**
 * What an id means to a correction: facts and events, as content with their evidence. A line of a document stands for the facts that
 * say it. What else the views hold says why it can't be corrected, and what can.
 */
import { LoomlogError } from '@loomlog/errors'
import { type Claim, likeness } from '@loomlog/language/likeness'
import type { CorrectedMemory, EventTime, FactKind } from '@loomlog/schemas/events'
import type { TableName } from '@loomlog/views/catalogue'
import { type Condition, sql } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import type { FoundRow } from '@loomlog/views/row'

/** Rows that are looked at for one target, at most. */
const maxRows = 1_000
/** Other memories of the same evidence that a correction names, at most. */
const maxOthers = 32

/** A memory to correct, and what a pin of it would say. */
export interface Target {
  readonly conversation: string
  readonly memory: CorrectedMemory
  readonly kind: FactKind
  readonly when: EventTime | null
  readonly persons: readonly string[]
  readonly keywords: readonly string[]
}

interface Payload {
  readonly kind?: FactKind
  readonly subject?: string
  readonly relation?: string
  readonly object?: string
  readonly when?: EventTime | null
  readonly persons?: readonly string[]
  readonly keywords?: readonly string[]
  readonly sources?: readonly string[]
  readonly facts?: readonly string[]
}

/**
 * The memory and whatever says the same in the same words elsewhere, the one that was asked for first.
 * @param space `tenant/space`
 * @throws LoomlogError `not-found`; `input-invalid`, saying what can be corrected instead
 */
export async function targetsOf(id: string, space: string, views: ViewReader): Promise<readonly Target[]> {
  const facts = await factsMeant(id, space, views)
  const found = facts.length > 0 ? facts : await rows('events', space, views, { ids: [id] })
  const [first] = found
  if (first === undefined) throw await refusal(id, space, views)
  const over = found.every((row) => row.knownTo !== null)
  if (over) throw new LoomlogError('input-invalid', `${id} is no longer part of the memory: "${first.text}"`)
  const kind = facts.length > 0 ? 'fact' : 'event'
  const known = found.filter((row) => row.knownTo === null)
  const targets: Target[] = []
  for (const row of known) targets.push(await targetOf(row, kind, known, views))
  return targets
}

/** A fact with those that share an entry with it and say the same; the facts of an entry; none for any other id. */
async function factsMeant(id: string, space: string, views: ViewReader): Promise<readonly FoundRow[]> {
  const [entry] = await rows('entries', space, views, { ids: [id] })
  if (entry) return rows('facts', space, views, { ids: payloadOf(entry).facts ?? [] })
  const [fact] = await rows('facts', space, views, { ids: [id] })
  if (!fact) return []
  const where = sql`known_to IS NULL AND payload LIKE ${`%${id}%`}`
  const entries = await rows('entries', space, views, { where })
  const beside = new Set(entries.flatMap((row) => payloadOf(row).facts ?? []).filter((other) => other !== id))
  const same = (await rows('facts', space, views, { ids: [...beside] })).filter(
    (row) => row.knownTo === null && likeness(toldIn(row), toldIn(fact), []) === 'same',
  )
  return [fact, ...same]
}

async function targetOf(
  row: FoundRow,
  kind: 'fact' | 'event',
  meant: readonly FoundRow[],
  views: ViewReader,
): Promise<Target> {
  const payload = payloadOf(row)
  const told = toldIn(row)
  const sources = payload.sources ?? []
  const ids = new Set(meant.map((each) => each.id))
  const others: string[] = []
  for (const table of ['facts', 'events'] as const) {
    const isOwnKind = table === (kind === 'fact' ? 'facts' : 'events')
    for (const other of await citing(table, sources, row.space, views)) {
      if (ids.has(other.id) || other.text === row.text) continue
      // A fact and an event of the same thing differ in their words, and are corrected together.
      if (isOwnKind || likeness(toldIn(other), told, []) !== 'same') others.push(other.text)
    }
  }
  const { subject, relation, object } = told
  const memory = { memory: row.id, kind, text: row.text, subject, relation, object }
  return {
    conversation: row.conversation,
    memory: { ...memory, saidAt: row.at ?? 0, sources, others: [...new Set(others)].slice(0, maxOthers) },
    kind: payload.kind ?? 'event',
    when: payload.when ?? null,
    persons: payload.persons ?? [],
    keywords: payload.keywords ?? [],
  }
}

/** What holds now and cites any of these sources. */
async function citing(
  table: 'facts' | 'events',
  sources: readonly string[],
  space: string,
  views: ViewReader,
): Promise<readonly FoundRow[]> {
  const found = new Map<string, FoundRow>()
  for (const source of sources) {
    const where = sql`known_to IS NULL AND payload LIKE ${`%${JSON.stringify(source).slice(1, -1)}%`}`
    for (const row of await rows(table, space, views, { where })) {
      if (payloadOf(row).sources?.includes(source)) found.set(row.id, row)
    }
  }
  return [...found.values()]
}

async function rows(
  table: TableName,
  space: string,
  views: ViewReader,
  by: { readonly ids: readonly string[] } | { readonly where: Condition },
): Promise<readonly FoundRow[]> {
  const view = await views.view(table, space)
  if (view === null) return []
  return 'ids' in by
    ? view.shard.byIds(table, { space, ids: by.ids })
    : view.shard.scan(table, { space, where: by.where, limit: maxRows })
}

const advice: readonly (readonly [table: TableName, what: string])[] = [
  ['documents', 'a document: correct one of its lines, by the id of the entry'],
  ['boxes', 'a box, which holds what was said: correct a fact or an event that came of it, or undo what was said'],
  ['links', 'a link of a timeline: correct the event that it links'],
  ['utterances', 'what was said, which stays as it was said: correct a fact that came of it, or undo it'],
]

async function refusal(id: string, space: string, views: ViewReader): Promise<LoomlogError> {
  for (const [table, what] of advice) {
    const [row] = await rows(table, space, views, { ids: [id] })
    if (row) return new LoomlogError('input-invalid', `${id} is ${what}`)
  }
  return new LoomlogError('not-found', `no memory ${id} in ${space}: expected the id of a fact, an event or an entry`)
}

function toldIn(row: FoundRow): Claim {
  const { subject, relation = '', object = '', persons = [] } = payloadOf(row)
  return { text: row.text, subject: subject ?? persons[0] ?? '', relation, object }
}

function payloadOf(row: FoundRow): Payload {
  return JSON.parse(row.payload) as Payload
}
