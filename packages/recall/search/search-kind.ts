/** Searches one derived kind of memory by itself, with scores that are comparable within this kind only. */
import type { ViewReader } from '@loomlog/views/reader'
import { areEvents, facts } from '@loomlog/views/tables/facts'
import { type Kind, memoryOf } from '../memory.ts'
import { searchDocuments } from './documents.ts'
import { type RankedMemory, rankMemories, rankRows } from './rank-rows.ts'
import type { TableSearch } from './search-table.ts'
import { supersededFacts } from './superseded-facts.ts'
import { withTimelines } from './timelines.ts'

export async function searchKind(kind: Kind, search: TableSearch, views: ViewReader): Promise<readonly RankedMemory[]> {
  switch (kind) {
    case 'document':
      return searchDocuments('document', search, views)
    case 'profile':
      return searchDocuments('profile', search, views)
    case 'fact': {
      const ranked = await rankMemories(kind, search, views)
      const ids = ranked.map((fact) => fact.id)
      const superseded = await supersededFacts(ids, { space: search.space, asOf: search.scope.asOf }, views)
      return ranked.filter((fact) => !superseded.has(fact.id))
    }
    case 'event':
      return withTimelines(await rankEvents(search, views), search, views)
    default:
      return rankMemories(kind, search, views)
  }
}

/** Events are facts that happened or are planned. */
async function rankEvents(search: TableSearch, views: ViewReader): Promise<readonly RankedMemory[]> {
  const rows = await rankRows(facts, { ...search, where: areEvents }, views)
  return rows.map(({ row, ...ranked }) => ({ ...memoryOf('event', row), ...ranked }))
}
