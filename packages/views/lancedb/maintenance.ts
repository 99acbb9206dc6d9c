/**
 * Maintenance of one table: compaction, indexing, removal of old versions. It runs in the writer's lane, between merges, because
 * elsewhere it would lose every race against them. A failure holds up no merge and is never silent: it is in `health` until a later
 * run succeeds.
 */
import type { Table } from '@lancedb/lancedb'
import type { TableHealth } from '../port.ts'
import { buildIndexes } from './indexes.ts'

/** Each commit adds a fragment that every search opens; at 600 of them searches take 200 ms, at 64 they don't notice. */
const maxCommits = 64
/** Rows that no index holds yet are searched one by one; this many at most, however large the table. */
const maxUnindexedRows = 100_000
const maxUnindexedShare = 0.1
/** So few are searched in a millisecond or two: not worth an optimize at any share. */
const minUnindexedRows = 2_000
/** Longer than any search that may still be reading an old version. */
const versionsKeptMs = 30 * 60_000

type MaintainedTable = Pick<
  Table,
  'listIndices' | 'createIndex' | 'optimize' | 'countRows' | 'stats' | 'indexStats' | 'listVersions'
>

export interface Maintenance {
  /** Counts a commit. */
  committed(rows: number): void
  isDue(): boolean
  /** Throws where it fails, and is due again after as many commits. */
  run(): Promise<void>
  /** Rebuilds all indexes, for when one is broken. */
  rebuildIndexes(): Promise<void>
  /**
   * Rewrites the fragments that hold removed rows and drops every earlier version, so that no file of the table holds them. A search
   * that is reading an earlier version fails and may be tried again. Throws where it fails.
   */
  erase(): Promise<void>
  health(): Promise<TableHealth>
}

/** Starts from the table's own counts, so that a writer that keeps dying doesn't put maintenance off for ever. */
export async function maintenanceOf(table: MaintainedTable, state: 'empty' | 'used'): Promise<Maintenance> {
  let rows = state === 'empty' ? 0 : await table.countRows()
  let commits = state === 'empty' ? 0 : (await table.stats()).fragmentStats.numFragments
  let unindexed = state === 'empty' ? 0 : await unindexedRows(table)
  let lastOptimizedAt: number | null = null
  let failures = 0
  let lastError: string | null = null

  async function attempt(work: () => Promise<void>): Promise<void> {
    commits = 0
    unindexed = 0
    try {
      await work()
      const olderThan = Date.now() - versionsKeptMs
      await table.optimize({ cleanupOlderThan: new Date(olderThan) })
      rows = await table.countRows()
      lastOptimizedAt = Date.now()
      failures = 0
      lastError = null
    } catch (error) {
      failures += 1
      lastError = error instanceof Error ? error.message : String(error)
      throw error
    }
  }

  return {
    committed(changed) {
      commits += 1
      unindexed += changed
    },
    isDue: () =>
      commits >= maxCommits ||
      unindexed >= maxUnindexedRows ||
      (unindexed >= minUnindexedRows && unindexed > rows * maxUnindexedShare),
    run: () => attempt(() => buildIndexes(table, 'missing')),
    rebuildIndexes: () => attempt(() => buildIndexes(table, 'all')),
    async erase() {
      // Compaction joins only fragments that the same indexes hold, so they are indexed first; and a clean-up spares the version
      // that its own compaction replaces, so it comes on its own.
      await table.optimize()
      await buildIndexes(table, 'all')
      await table.optimize()
      await table.optimize({ cleanupOlderThan: new Date() })
    },
    health: async () => ({
      rows: await table.countRows(),
      fragments: (await table.stats()).fragmentStats.numFragments,
      unindexedRows: await unindexedRows(table),
      versions: (await table.listVersions()).length,
      lastOptimizedAt,
      failures,
      lastError,
    }),
  }
}

/** Of the index that lags most. */
async function unindexedRows(table: MaintainedTable): Promise<number> {
  const indices = await table.listIndices()
  const stats = await Promise.all(indices.map((index) => table.indexStats(index.name)))
  return Math.max(0, ...stats.map((each) => each?.numUnindexedRows ?? 0))
}
