/**
 * Superseded facts: facts that a retired entry stated and no current entry states. The entries are read for exactly
 * these facts, so that the result does not depend on the hits of a search.
 */
import type { ViewReader } from '@loomlog/views/reader'
import { type EntryRow, entries as entriesTable, statesAnyOf } from '@loomlog/views/tables/entries'
import { type AsOf, momentOf } from '../request/filter.ts'
import { endingLater } from './holding-entries.ts'

/** Entries that state one fact: in a document on a topic, and in a profile or two. */
const maxEntriesPerFact = 16
/** Length of a chain of entries that replace each other. Longer chains are not followed. */
const maxSuccessors = 16

interface FactScope {
  /** `tenant/space` */
  readonly space: string
  readonly asOf: AsOf
}

/** The evidence that replaces a fact: the current entry at the end of the chain. */
export interface Replacement {
  readonly facts: readonly string[]
  /** Ids of utterances, or of a correction. */
  readonly sources: readonly string[]
}

/** @param facts ids of facts of the space */
export async function supersededFacts(
  facts: readonly string[],
  scope: FactScope,
  views: ViewReader,
): Promise<ReadonlySet<string>> {
  return new Set((await retiredStatements(facts, scope, views)).keys())
}

/**
 * The replacements of superseded facts. A fact that was only retracted has none.
 * @param facts ids of facts of the space
 */
export async function replacementsOf(
  facts: readonly string[],
  scope: FactScope,
  views: ViewReader,
): Promise<ReadonlyMap<string, Replacement>> {
  const replacements = new Map<string, Replacement>()
  let retired = await retiredStatements(facts, scope, views)
  for (let hop = 0; hop < maxSuccessors && retired.size > 0; hop += 1) {
    const successors = await successorsOf([...retired.values()], scope, views)
    const later = await endingLater(momentOf(scope.asOf), [...successors.values()], views)
    const next = new Map<string, EntryRow>()
    for (const [fact, entry] of retired) {
      const successor = successors.get(entry.replacedBy ?? '')
      if (successor === undefined) continue
      if (isRetired(successor, scope.asOf, later)) next.set(fact, successor)
      else replacements.set(fact, { facts: successor.facts, sources: successor.sources })
    }
    retired = next
  }
  return replacements
}

/** For each superseded fact, an entry that stated it. */
async function retiredStatements(
  facts: readonly string[],
  { space, asOf }: FactScope,
  views: ViewReader,
): Promise<ReadonlyMap<string, EntryRow>> {
  const limit = facts.length * maxEntriesPerFact
  const entries = await views.scan(entriesTable, { space, where: statesAnyOf(facts), limit })
  const stated = entries
    .filter((entry) => isKnown(entry, asOf))
    .flatMap((entry) => entry.facts.map((fact) => [fact, entry] as const))
  const later = await endingLater(momentOf(asOf), entries, views)
  const current = new Set(stated.filter(([, entry]) => !isRetired(entry, asOf, later)).map(([fact]) => fact))
  const wanted = new Set(facts)
  return new Map(stated.filter(([fact]) => wanted.has(fact) && !current.has(fact)))
}

async function successorsOf(
  entries: readonly EntryRow[],
  { space, asOf }: FactScope,
  views: ViewReader,
): Promise<ReadonlyMap<string, EntryRow>> {
  const ids = [...new Set(entries.flatMap((entry) => entry.replacedBy ?? []))]
  const rows = await views.byIds(entriesTable, space, ids)
  return new Map(rows.filter((row) => isKnown(row, asOf)).map((row) => [row.id, row]))
}

function isKnown({ knownFrom }: EntryRow, { knownAt = Infinity }: AsOf): boolean {
  return knownFrom <= knownAt
}

/** Retired at the time of the scope. An entry that ended later in event time was still true. */
function isRetired(
  entry: EntryRow,
  { trueAt = Infinity, knownAt = Infinity }: AsOf,
  endingLater: ReadonlySet<string>,
): boolean {
  if (endingLater.has(entry.id)) return false
  return entry.knownTo !== null && entry.knownTo <= knownAt && !((entry.validTo ?? -Infinity) > trueAt)
}
