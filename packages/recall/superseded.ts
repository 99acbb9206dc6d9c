/**
 * Which facts no longer hold: those that an entry stated which newer evidence took the place of, and no current entry states. Asked of
 * the entries for exactly the facts at hand, so that it doesn't depend on what a search happened to find.
 */
import { sql } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import type { FoundRow } from '@loomlog/views/row'
import { payloadOf } from './memory.ts'
import type { AsOf } from './within.ts'

/** Entries that state one fact; it stands in a document on a topic and in a profile or two. */
const maxEntriesPerFact = 16

/** @param facts ids of facts of the space (`tenant/space`) */
export async function supersededAmong(
  facts: readonly string[],
  { space, asOf }: { readonly space: string; readonly asOf: AsOf },
  views: ViewReader,
): Promise<ReadonlySet<string>> {
  const view = facts.length === 0 ? null : await views.view('entries', space)
  if (view === null) return new Set()
  // Ids are hashes, in hexadecimal digits: nothing in them means anything else to a regular expression.
  const where = sql`regexp_like(payload, ${facts.join('|')})`
  const limit = facts.length * maxEntriesPerFact
  const entries = await view.shard.scan('entries', { space, where, limit })
  const statedBy = (list: typeof entries) => new Set(list.flatMap((entry) => payloadOf(entry).facts ?? []))
  const known = entries.filter((entry) => entry.knownFrom <= (asOf.knownAt ?? Infinity))
  const current = statedBy(known.filter((entry) => !isRetired(entry, asOf)))
  const retired = statedBy(known.filter((entry) => isRetired(entry, asOf)))
  return new Set(facts.filter((fact) => retired.has(fact) && !current.has(fact)))
}

/** By then; what ended later in event time was still true. */
function isRetired(entry: FoundRow, { trueAt = Infinity, knownAt = Infinity }: AsOf): boolean {
  return entry.knownTo !== null && entry.knownTo <= knownAt && !((entry.validTo ?? -Infinity) > trueAt)
}
