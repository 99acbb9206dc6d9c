/**
 * Which facts no longer hold: those that an entry stated which newer evidence took the place of, and no current entry states. Asked of
 * the entries for exactly the facts at hand, so that it doesn't depend on what a search happened to find.
 */
import type { ViewReader } from '@loomlog/views/reader'
import { type EntryRow, entries as entriesTable, stating } from '@loomlog/views/tables/entries'
import type { AsOf } from '../request/scope.ts'

/** Entries that state one fact; it stands in a document on a topic and in a profile or two. */
const maxEntriesPerFact = 16
/** Entries that took each other's place, one after the other; what holds after more of them is not looked for. */
const maxSuccessors = 16

interface Asked {
  /** `tenant/space` */
  readonly space: string
  readonly asOf: AsOf
}

/** What holds instead of a fact: the entry that took its place, or the last that took that one's. */
export interface Replacement {
  readonly facts: readonly string[]
  /** Ids of utterances, or of a correction. */
  readonly sources: readonly string[]
}

/** @param facts ids of facts of the space */
export async function supersededAmong(
  facts: readonly string[],
  asked: Asked,
  views: ViewReader,
): Promise<ReadonlySet<string>> {
  return new Set((await retiredStatements(facts, asked, views)).keys())
}

/** Of those that are superseded by something; what was only taken back has no replacement. @param facts ids of facts of the space */
export async function replacementsOf(
  facts: readonly string[],
  asked: Asked,
  views: ViewReader,
): Promise<ReadonlyMap<string, Replacement>> {
  const found = new Map<string, Replacement>()
  let retired = await retiredStatements(facts, asked, views)
  for (let hop = 0; hop < maxSuccessors && retired.size > 0; hop += 1) {
    const successors = await successorsOf([...retired.values()], asked, views)
    const next = new Map<string, EntryRow>()
    for (const [fact, entry] of retired) {
      const successor = successors.get(entry.replacedBy ?? '')
      if (successor === undefined) continue
      if (isRetired(successor, asked.asOf)) next.set(fact, successor)
      else found.set(fact, { facts: successor.facts, sources: successor.sources })
    }
    retired = next
  }
  return found
}

/** By superseded fact, an entry that stated it. */
async function retiredStatements(
  facts: readonly string[],
  { space, asOf }: Asked,
  views: ViewReader,
): Promise<ReadonlyMap<string, EntryRow>> {
  const limit = facts.length * maxEntriesPerFact
  const entries = await views.scan(entriesTable, { space, where: stating(facts), limit })
  const stated = entries
    .filter((entry) => isKnown(entry, asOf))
    .flatMap((entry) => entry.facts.map((fact) => [fact, entry] as const))
  const current = new Set(stated.filter(([, entry]) => !isRetired(entry, asOf)).map(([fact]) => fact))
  const asked = new Set(facts)
  return new Map(stated.filter(([fact]) => asked.has(fact) && !current.has(fact)))
}

async function successorsOf(
  entries: readonly EntryRow[],
  { space, asOf }: Asked,
  views: ViewReader,
): Promise<ReadonlyMap<string, EntryRow>> {
  const ids = [...new Set(entries.flatMap((entry) => entry.replacedBy ?? []))]
  const rows = await views.byIds(entriesTable, space, ids)
  return new Map(rows.filter((row) => isKnown(row, asOf)).map((row) => [row.id, row]))
}

function isKnown({ knownFrom }: EntryRow, { knownAt = Infinity }: AsOf): boolean {
  return knownFrom <= knownAt
}

/** By then; what ended later in event time was still true. */
function isRetired(entry: EntryRow, { trueAt = Infinity, knownAt = Infinity }: AsOf): boolean {
  return entry.knownTo !== null && entry.knownTo <= knownAt && !((entry.validTo ?? -Infinity) > trueAt)
}
