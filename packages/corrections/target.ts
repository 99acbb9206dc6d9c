/**
 * Resolves the id in a correction to facts, as content with their evidence. An entry of a document means the facts that
 * it states. For any other row the error gives the reason, and the memory to correct instead.
 */
import { LoomlogError } from '@loomlog/errors'
import { type Claim, likeness } from '@loomlog/language/likeness'
import type { CorrectedMemory, EventTime, FactKind } from '@loomlog/schemas/events'
import { and } from '@loomlog/views/condition'
import { lookUp } from '@loomlog/views/look-up'
import type { ViewReader } from '@loomlog/views/reader'
import { current } from '@loomlog/views/row'
import { entries, statesAnyOf } from '@loomlog/views/tables/entries'
import { citesAnyOf, type FactRow, facts } from '@loomlog/views/tables/facts'

/** Rows read for one target, at most. */
const maxRows = 1_000
/** Other memories of the same evidence that a correction names, at most. */
const maxOthers = 32

/** A memory to correct, with the fields that a pin repeats. */
export interface CorrectionTarget {
  readonly conversation: string
  readonly memory: CorrectedMemory
  /** The event time from which it holds. */
  readonly validFrom: number
  readonly kind: FactKind
  readonly when: EventTime | null
  readonly persons: readonly string[]
  readonly keywords: readonly string[]
}

/**
 * The memory with that id first, and the memories that state the same elsewhere.
 * @param space `tenant/space`
 * @throws LoomlogError `not-found`; `views-behind` for an unknown id while a view of the space is behind, since the
 *   memory may be missing in it; `input-invalid`, with the memory to correct instead
 */
export async function correctionTargets(
  id: string,
  space: string,
  views: ViewReader,
): Promise<readonly CorrectionTarget[]> {
  const place = { name: `memory ${id}`, space, views, expected: 'a fact or an entry' }
  const found = await lookUp(place, async () => {
    const rows = await factsOf(id, space, views)
    if (rows.length > 0) return rows
    await refuseOtherKinds(id, space, views)
    return null
  })
  const known = found.filter((row) => row.knownTo === null)
  if (known.length === 0) {
    throw new LoomlogError('input-invalid', `${id} is no longer part of the memory: "${found[0]?.text}"`)
  }
  const targets: CorrectionTarget[] = []
  for (const row of known) targets.push(await targetOf(row, known, views))
  return targets
}

/** A fact with those that share an entry with it and say the same; the facts of an entry; none for any other id. */
async function factsOf(id: string, space: string, views: ViewReader): Promise<readonly FactRow[]> {
  const [entry] = await views.byIds(entries, space, [id])
  if (entry) return views.byIds(facts, space, entry.facts)
  const [fact] = await views.byIds(facts, space, [id])
  if (!fact) return []
  const shared = await views.scan(entries, { space, where: and(current, statesAnyOf([id])), limit: maxRows })
  const beside = new Set(shared.flatMap((row) => row.facts).filter((other) => other !== id))
  const same = (await views.byIds(facts, space, [...beside])).filter(
    (row) => row.knownTo === null && likeness(statementIn(row), statementIn(fact), []) === 'same',
  )
  return [fact, ...same]
}

async function targetOf(row: FactRow, targets: readonly FactRow[], views: ViewReader): Promise<CorrectionTarget> {
  const { id, sources, text, space, subject, relation, object } = row
  const ids = new Set(targets.map((each) => each.id))
  const beside = await citingRows(sources, space, views)
  const others = beside.filter((other) => !ids.has(other.id) && other.text !== text).map((other) => other.text)
  const memory = { memory: id, kind: 'fact', text, subject, relation, object, saidAt: row.at ?? 0, sources }
  return {
    conversation: row.conversation,
    memory: { ...memory, others: [...new Set(others)].slice(0, maxOthers) },
    validFrom: row.validFrom ?? memory.saidAt,
    kind: row.kind,
    when: row.when,
    persons: row.persons,
    keywords: row.keywords,
  }
}

/** The current facts that cite any of these sources, in the order of the sources. */
async function citingRows(sources: readonly string[], space: string, views: ViewReader): Promise<readonly FactRow[]> {
  const rows = await views.scan(facts, { space, where: and(current, citesAnyOf(sources)), limit: maxRows })
  return [...new Set(sources.flatMap((source) => rows.filter((row) => row.sources.includes(source))))]
}

/** @throws LoomlogError `input-invalid` if the id is that of a memory of another kind */
async function refuseOtherKinds(id: string, space: string, views: ViewReader): Promise<void> {
  for (const table of views.tables) {
    const [row] = table.correctInstead === null ? [] : await views.byIds(table, space, [id])
    if (row) throw new LoomlogError('input-invalid', `${id} is ${table.correctInstead}`)
  }
}

function statementIn({ text, subject, relation, object }: FactRow): Claim {
  return { text, subject, relation, object }
}
