/**
 * Ended conclusions from an utterance. Only entries that a model planned count: those of rules miss most of what a text
 * says. An event that happened doesn't end.
 */
import { and, hasAny, or } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import { type EntryRow, entries as entryTable } from '@loomlog/views/tables/entries'
import type { ScoredMemory } from '../memory.ts'
import { momentOf, type Scope } from '../request/filter.ts'
import { endedBy, holdingIn, isByRules, standingAt } from './standing-entries.ts'

/** Best utterances whose conclusions are read, and entries that are read for each. */
const maxChecked = 200
const maxEntriesEach = 16

export interface Spoken {
  /** `tenant/space` */
  readonly space: string
  readonly scope: Scope
  /** Best first. */
  readonly memories: readonly ScoredMemory[]
}

/** By utterance, whether all of its conclusions ended, or some. */
export async function endedConclusions(
  { space, scope, memories }: Spoken,
  views: ViewReader,
): Promise<ReadonlyMap<string, 'all' | 'some'>> {
  const spoken = memories.filter(({ kind }) => kind === 'utterance').slice(0, maxChecked)
  const ids = new Set(spoken.map(({ id }) => id))
  if (ids.size === 0) return new Map()
  const moment = momentOf(scope.asOf)
  const inScope = { filter: {}, asOf: scope.asOf }
  const standing = or<EntryRow>(holdingIn(inScope), endedBy(moment, inScope))
  const where = and<EntryRow>(standing, hasAny('sources', [...ids]))
  const rows = await views.scan(entryTable, { space, where, limit: ids.size * maxEntriesEach })
  const planned = rows.filter((row) => !isByRules(row) && row.factKind !== 'event')
  const cited = (await standingAt(moment, planned, views)).flatMap(({ row, endedAt }) =>
    row.sources.flatMap((id) => (ids.has(id) ? [{ id, endedAt }] : [])),
  )
  const ended = new Map<string, 'all' | 'some'>()
  for (const [id, of] of Map.groupBy(cited, (each) => each.id)) {
    if (of.every(({ endedAt }) => endedAt !== null)) ended.set(id, 'all')
    else if (of.some(({ endedAt }) => endedAt !== null)) ended.set(id, 'some')
  }
  return ended
}
