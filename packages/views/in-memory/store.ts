/** Views in this process's memory, for tests and simulations. Nothing outlives the store. */
import { randomUUID } from 'node:crypto'
import { LoomlogError } from '@loomlog/errors'
import { compareValues, holds } from '../condition.ts'
import { afterClearings, changeOffset, fold } from '../fold.ts'
import type { Batch, ReadableShard, ShardOptions, ViewStore, Watermark } from '../port.ts'
import type { StoredRow } from '../row.ts'
import type { Table } from '../table.ts'
import { searchIn } from './search.ts'

export interface StoredTable {
  readonly vectorSpace: ShardOptions['vectorSpace']
  /** By `rowKey`. */
  readonly rows: Map<string, StoredRow>
  mark: Watermark
  version: number
}

export function memoryStore(): ViewStore {
  const shards = new Map<string, Map<string, StoredTable>>()
  return {
    async read(shard, reads) {
      const stored = shards.get(keyOf(shard))
      const missing = shard.tables.find(({ name }) => !stored?.has(name))
      if (stored === undefined || missing) {
        throw new LoomlogError('not-found', `no table ${missing?.name} in this shard yet`)
      }
      for (const table of shard.tables) checkVectorSpace(shard, table, stored)
      return readable(reads === 'latest' ? stored : new Map([...stored].map(([name, table]) => [name, copied(table)])))
    },
    async write(shard) {
      const stored = shards.get(keyOf(shard)) ?? new Map<string, StoredTable>()
      shards.set(keyOf(shard), stored)
      const writer = randomUUID()
      for (const table of shard.tables) takeOver(shard, table, stored, writer)
      return {
        ...readable(stored),
        async apply(batch) {
          if (shards.get(keyOf(shard)) !== stored) throw new LoomlogError('view-corrupt', 'this shard was discarded')
          return apply(batch, writer, tableIn(stored, batch.table))
        },
        optimize: async () => {},
        erase: async () => {},
        health: async () => new Map([...stored].map(([name, table]) => [name, { ...table.mark, ...healthOf(table) }])),
      }
    },
    discard: async (view, partition) => void shards.delete(keyOf({ view, partition })),
    async remove(view, partitions) {
      for (let partition = 0; partition < partitions; partition += 1) shards.delete(keyOf({ view, partition }))
    },
    mayHold: (view) => [...shards.keys()].some((key) => key.startsWith(`${view}/`)),
  }
}

function keyOf({ view, partition }: Pick<ShardOptions, 'view' | 'partition'>): string {
  return `${view}/${partition}`
}

function tableIn(stored: ReadonlyMap<string, StoredTable>, { name }: Table): StoredTable {
  const found = stored.get(name)
  if (!found) throw new Error(`this shard has no table ${name}`)
  return found
}

function checkVectorSpace(
  { vectorSpace: wanted }: ShardOptions,
  { name }: Table,
  stored: ReadonlyMap<string, StoredTable>,
) {
  const { vectorSpace } = stored.get(name) ?? { vectorSpace: wanted }
  if (vectorSpace.name === wanted.name && vectorSpace.dimensions === wanted.dimensions) return
  throw new LoomlogError(
    'embedder-mismatch',
    `table ${name} holds vectors of ${vectorSpace.name} (${vectorSpace.dimensions} dimensions), not of ${wanted.name} (${wanted.dimensions})`,
  )
}

function takeOver(shard: ShardOptions, table: Table, stored: Map<string, StoredTable>, writer: string): void {
  checkVectorSpace(shard, table, stored)
  const { vectorSpace } = shard
  const found = stored.get(table.name) ?? {
    vectorSpace,
    rows: new Map(),
    mark: { offset: 0, epoch: 0, writer, checkpoint: null },
    version: 0,
  }
  found.mark = { ...found.mark, epoch: found.mark.epoch + 1, writer }
  found.version += 1
  stored.set(table.name, found)
}

function copied(table: StoredTable): StoredTable {
  return { ...table, rows: new Map(table.rows) }
}

function readable(stored: ReadonlyMap<string, StoredTable>): ReadableShard {
  return {
    ...searchIn((table) => tableIn(stored, table).rows),
    watermark: async (table) => tableIn(stored, table).mark,
    version: async (table) => tableIn(stored, table).version,
    async changes(table, space, from) {
      const { mark, rows } = tableIn(stored, table)
      return {
        watermark: mark,
        packs: [],
        rows: [...rows.values()].filter((row) => row.space === space && row.offset >= from),
      }
    },
    async total(table, where) {
      return [...tableIn(stored, table).rows.values()].filter((row) => !row.deleted && holds(where, row)).length
    },
    async *rows(table) {
      const rows = [...tableIn(stored, table).rows.values()]
      rows.sort((a, b) => compareValues(a.space, b.space) || compareValues(a.id, b.id))
      yield* rows
    },
    close: async () => {},
  }
}

/** Applies a batch in one turn of the event loop, so that it is atomic. */
function apply({ table, changes, watermark, checkpoint }: Batch, writer: string, stored: StoredTable) {
  const ahead = changes.find((change) => changeOffset(change) >= watermark)
  if (ahead) throw new Error(`a change of offset ${changeOffset(ahead)} in a batch up to ${watermark}`)
  const { mark, rows } = stored
  if (mark.writer !== writer) {
    throw new LoomlogError('fenced', `another writer opened table ${table.name}: it is in epoch ${mark.epoch}`)
  }
  if (watermark <= mark.offset) return { watermark: mark.offset, rows: 0 }
  const fresh = changes.filter((change) => changeOffset(change) >= mark.offset)
  const kept = afterClearings(fresh)
  for (const [key, row] of rows) if (kept.cleared.has(row.space)) rows.delete(key)
  const written = fold(table, kept.changes, rows)
  for (const [key, row] of written) rows.set(key, row)
  const epoch = kept.cleared.size === 0 ? mark.epoch : mark.epoch + 1
  stored.mark = { ...mark, epoch, offset: watermark, checkpoint: checkpoint ?? null }
  stored.version += 1
  return { watermark, rows: written.size }
}

function healthOf({ rows }: StoredTable) {
  const quiet = { lastOptimizedAt: null, failures: 0, lastError: null }
  return { rows: rows.size, fragments: 1, unindexedRows: 0, versions: 1, ...quiet }
}
