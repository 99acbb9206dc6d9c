/**
 * Resolves the id in a correction to facts and events, as content with their evidence. An entry of a document means the facts that it
 * states. For any other row the error says why it can't be corrected, and what can instead.
 */
import { LoomlogError } from '@loomlog/errors'
import { type Claim, likeness } from '@loomlog/language/likeness'
import type { CorrectedMemory, EventTime, FactKind } from '@loomlog/schemas/events'
import { and } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { current } from '@loomlog/views/row'
import type { RowOf } from '@loomlog/views/table'
import { entries, stating } from '@loomlog/views/tables/entries'
import { events } from '@loomlog/views/tables/events'
import { citing, type FactRow, facts } from '@loomlog/views/tables/facts'

/** Rows read for one target, at most. */
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

/**
 * The memory with that id first, and the memories that state the same elsewhere.
 * @param space `tenant/space`
 * @throws LoomlogError `not-found`; `input-invalid`, saying what can be corrected instead
 */
export async function targetsOf(id: string, space: string, views: ViewReader): Promise<readonly Target[]> {
  const stated = await factsOf(id, space, views)
  const kind = stated.length > 0 ? 'fact' : 'event'
  const found = stated.length > 0 ? stated : await views.byIds(events, space, [id])
  const [first] = found
  if (first === undefined) throw await refusal(id, space, views)
  const known = found.filter((row) => row.knownTo === null)
  if (known.length === 0) {
    throw new LoomlogError('input-invalid', `${id} is no longer part of the memory: "${first.text}"`)
  }
  const targets: Target[] = []
  for (const row of known) targets.push(await targetOf(row, kind, known, views))
  return targets
}

/** A fact with those that share an entry with it and say the same; the facts of an entry; none for any other id. */
async function factsOf(id: string, space: string, views: ViewReader): Promise<readonly FactRow[]> {
  const [entry] = await views.byIds(entries, space, [id])
  if (entry) return views.byIds(facts, space, entry.facts)
  const [fact] = await views.byIds(facts, space, [id])
  if (!fact) return []
  const shared = await views.scan(entries, { space, where: and(current, stating([id])), limit: maxRows })
  const beside = new Set(shared.flatMap((row) => row.facts).filter((other) => other !== id))
  const same = (await views.byIds(facts, space, [...beside])).filter(
    (row) => row.knownTo === null && likeness(statementIn(row), statementIn(fact), []) === 'same',
  )
  return [fact, ...same]
}

type CorrectableRow = FactRow | RowOf<typeof events>

async function targetOf(
  row: CorrectableRow,
  kind: 'fact' | 'event',
  targets: readonly CorrectableRow[],
  views: ViewReader,
): Promise<Target> {
  const { id, sources, text, space } = row
  const statement = statementIn(row)
  const ids = new Set(targets.map((each) => each.id))
  const others: string[] = []
  for (const table of [facts, events] as const) {
    const isOwnKind = table === (kind === 'fact' ? facts : events)
    for (const other of await citingRows(table, sources, space, views)) {
      if (ids.has(other.id) || other.text === text) continue
      // A fact and an event of the same thing differ in their words, and are corrected together.
      if (isOwnKind || likeness(statementIn(other), statement, []) !== 'same') others.push(other.text)
    }
  }
  const { subject, relation, object } = statement
  const memory = { memory: id, kind, text, subject, relation, object, saidAt: row.at ?? 0, sources }
  return {
    conversation: row.conversation,
    memory: { ...memory, others: [...new Set(others)].slice(0, maxOthers) },
    kind: 'kind' in row ? row.kind : 'event',
    when: row.when,
    persons: row.persons,
    keywords: row.keywords,
  }
}

/** The current rows that cite any of these sources, in the order of the sources. */
async function citingRows<T extends typeof facts | typeof events>(
  table: T,
  sources: readonly string[],
  space: string,
  views: ViewReader,
): Promise<readonly CorrectableRow[]> {
  const where = and(current, citing(sources))
  const rows: readonly CorrectableRow[] = await views.scan<typeof facts | typeof events>(table, {
    space,
    where,
    limit: maxRows,
  })
  return [...new Set(sources.flatMap((source) => rows.filter((row) => row.sources.includes(source))))]
}

async function refusal(id: string, space: string, views: ViewReader): Promise<LoomlogError> {
  for (const table of views.tables) {
    const [row] = table.correctInstead === null ? [] : await views.byIds(table, space, [id])
    if (row) return new LoomlogError('input-invalid', `${id} is ${table.correctInstead}`)
  }
  return new LoomlogError('not-found', `no memory ${id} in ${space}: expected the id of a fact, an event or an entry`)
}

function statementIn(row: CorrectableRow): Claim {
  const { text, persons } = row
  if ('subject' in row) return { text, subject: row.subject, relation: row.relation, object: row.object }
  return { text, subject: persons[0] ?? '', relation: '', object: '' }
}
