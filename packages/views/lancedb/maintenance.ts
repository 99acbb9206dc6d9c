/**
 * Maintenance of one table: compaction, indexing, removal of old versions. It runs in the writer's lane, between
 * merges, because elsewhere it would lose every race against them. A failure delays no merge. It is reported, and stays
 * in `health` until a later run succeeds.
 */
import type { Table } from '@lancedb/lancedb'
import type { TableHealth } from '../port.ts'
import { buildIndexes } from './indexes.ts'
import type { RowFormat } from './row-format.ts'

/**
 * Each commit adds a fragment that every search opens: 600 of them make a search take 200 ms, 64 make no difference.
 */
const maxCommits = 64
/** The limit of rows that no index holds yet, for a table of any size: searches read them one by one. */
const maxUnindexedRows = 100_000
const maxUnindexedShare = 0.1
/** Fewer unindexed rows are searched in a millisecond or two, and are not worth an optimize at any share. */
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
  /** Throws if it fails; it is then due again after the same number of commits or rows. */
  run(): Promise<void>
  /** Runs if it is due, and reports a failure instead of throwing it. */
  runIfDue(report: (message: string) => void): Promise<void>
  /**
   * Rewrites the fragments that hold removed rows and drops every earlier version, so that no file of the table holds
   * them. A search that is reading an earlier version fails and may be tried again. Throws if it fails.
   */
  erase(): Promise<void>
  health(): Promise<TableHealth>
}

/** Starts from the table's own counts: otherwise writers that die early would postpone maintenance for ever. */
export async function maintenanceOf(
  table: MaintainedTable,
  indexed: RowFormat['indexes'],
  state: 'empty' | 'used',
): Promise<Maintenance> {
  let rows = state === 'empty' ? 0 : await table.countRows()
  let commits = state === 'empty' ? 0 : (await table.stats()).fragmentStats.numFragments
  let unindexed = state === 'empty' ? 0 : await unindexedRows(table)
  let lastOptimizedAt: number | null = null
  let failures = 0
  let lastError: string | null = null

  async function run(): Promise<void> {
    commits = 0
    unindexed = 0
    try {
      await buildIndexes(table, indexed, 'missing')
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

  const isDue = () =>
    commits >= maxCommits ||
    unindexed >= maxUnindexedRows ||
    (unindexed >= minUnindexedRows && unindexed > rows * maxUnindexedShare)

  return {
    committed(changed) {
      commits += 1
      unindexed += changed
    },
    isDue,
    run,
    async runIfDue(report) {
      if (isDue()) await run().catch(() => report(`maintenance failed ${failures} times in a row: ${lastError}`))
    },
    async erase() {
      // Compaction joins only fragments that the same indexes cover, so they are indexed first. A clean-up keeps the
      // version that its own compaction replaces, so it is a step of its own.
      await table.optimize()
      await buildIndexes(table, indexed, 'all')
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

/** Rows that the index which lags most lacks. */
async function unindexedRows(table: MaintainedTable): Promise<number> {
  const indices = await table.listIndices()
  const stats = await Promise.all(indices.map((index) => table.indexStats(index.name)))
  return Math.max(0, ...stats.map((each) => each?.numUnindexedRows ?? 0))
}
