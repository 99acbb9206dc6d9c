/**
 * Searches of a table whose rows are sealed: LanceDB can't read them, so the space is read whole and searched in memory
 * (../space-cache). Only a space that is too large for the space cache is searched like this. A weak reference keeps
 * the space that was searched last, so that the searches of one recall read it once.
 */
import type { Table as LanceTable } from '@lancedb/lancedb'
import { and } from '../condition.ts'
import type { Search } from '../port.ts'
import { rowKey } from '../row.ts'
import { count, fullText, nearest, scan } from '../space-cache/search-rows.ts'
import type { SpaceRows } from '../space-cache/space-rows.ts'
import { type SpaceSource, SpaceTable } from '../space-cache/space-table.ts'
import type { RowOf, Table } from '../table.ts'
import { withViewErrors } from './errors.ts'
import type { RowFormat } from './row-format.ts'
import { sealedColumnOf } from './sealed-rows.ts'
import { filter } from './search.ts'
import { literal } from './sql.ts'

interface SealedTables {
  readonly format: RowFormat
  readonly dimensions: number
  lanceTable(table: Table): LanceTable
  readonly shard: Omit<SpaceSource, 'count'>
}

export function sealedSearch({ format, dimensions, lanceTable, shard }: SealedTables): Search {
  const lastSpaces = new Map<Table, { readonly space: string; readonly held: WeakRef<SpaceTable> }>()
  const countPlain = (table: Table, search: Parameters<Search['count']>[1]) =>
    withViewErrors(() => lanceTable(table).countRows(filter(table, search)))

  async function rowsOf(table: Table, space: string): Promise<SpaceRows> {
    const last = lastSpaces.get(table)
    const known = last?.space === space ? last.held.deref() : undefined
    const source = { ...shard, count: countPlain }
    const held = known ?? new SpaceTable({ shard: source, table, space, dimensions, maxBytes: Infinity })
    lastSpaces.set(table, { space, held: new WeakRef(held) })
    const rows = await held.current()
    if (rows === null) throw new Error(`the rows of ${space} exceed a limit of memory that there is not`)
    return rows
  }

  return {
    fullText: async <T extends Table>(table: T, search: Parameters<Search['fullText']>[1]) =>
      fullText<RowOf<T>>(await rowsOf(table, search.space), search),
    nearest: async <T extends Table>(table: T, search: Parameters<Search['nearest']>[1]) =>
      nearest<RowOf<T>>(await rowsOf(table, search.space), search),
    scan: async <T extends Table>(table: T, search: Parameters<Search['scan']>[1]) =>
      scan<RowOf<T>>(await rowsOf(table, search.space), search),
    async count(table, search) {
      if (sealedColumnOf(search.where ?? and()) === null) return countPlain(table, search)
      return count(await rowsOf(table, search.space), search)
    },
    byIds: <T extends Table>(table: T, space: string, ids: readonly string[]) =>
      withViewErrors(async () => {
        if (ids.length === 0) return []
        const keys = ids.map((id) => literal(format.keyOf(rowKey(space, id)))).join(', ')
        const where = `key IN (${keys}) AND ${filter(table, { space })}`
        const rows = new Map<string, RowOf<T>>()
        for await (const batch of lanceTable(table)
          .query()
          .where(where)
          .select([...format.columns(table)]))
          for (const { vector: _, ...row } of await format.rows(table, batch, 'rows and vectors'))
            rows.set(row.id, row as unknown as RowOf<T>)
        return ids.map((id) => rows.get(id)).filter((row) => row !== undefined)
      }),
  }
}
