/**
 * Which facts no longer hold: those that an entry stated which newer evidence took the place of, and no current entry states. Asked of
 * the entries for exactly the facts at hand, so that it doesn't depend on what a search happened to find.
 */
import { sql } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { payloadOf } from './memory.ts'

/** Entries that state one fact; it stands in a document on a topic and in a profile or two. */
const maxEntriesPerFact = 16

/** @param space `tenant/space` */
export async function supersededAmong(
  facts: readonly string[],
  space: string,
  views: ViewReader,
): Promise<ReadonlySet<string>> {
  const view = facts.length === 0 ? null : await views.view('entries', space)
  if (view === null) return new Set()
  // Ids are hashes, in hexadecimal digits: nothing in them means anything else to a regular expression.
  const where = sql`regexp_like(payload, ${facts.join('|')})`
  const limit = facts.length * maxEntriesPerFact
  const entries = await view.shard.scan('entries', { space, where, limit })
  const statedBy = (list: typeof entries) => new Set(list.flatMap((entry) => payloadOf(entry).facts ?? []))
  const current = statedBy(entries.filter((entry) => entry.knownTo === null))
  const retired = statedBy(entries.filter((entry) => entry.knownTo !== null))
  return new Set(facts.filter((fact) => retired.has(fact) && !current.has(fact)))
}
