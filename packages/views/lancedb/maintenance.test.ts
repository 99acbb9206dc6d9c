import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { testRow, testShard, testSpace } from '../contract/setup.ts'
import { facts as table } from '../tables/facts.ts'
import { temporaryFolder } from './fixture.ts'
import { maintenanceOf } from './maintenance.ts'
import { plainRows } from './row-format.ts'
import { lanceStore } from './store.ts'

type MaintainedTable = Parameters<typeof maintenanceOf>[0]

/** A table of 1,000 rows on which `optimize` runs the given function. */
function pretendTable(optimize: () => Promise<void>): MaintainedTable {
  return {
    listIndices: async () => ['key', 'space', 'text'].map((column) => ({ columns: [column] })),
    indexStats: async () => ({ numUnindexedRows: 0 }),
    createIndex: async () => {},
    stats: async () => ({ fragmentStats: { numFragments: 1 } }),
    countRows: async () => 1_000,
    listVersions: async () => [],
    optimize,
  } as unknown as MaintainedTable
}

test('maintenance is due after 64 commits, or when a tenth of the table is in no index, but not for a handful of rows', async () => {
  const byCommits = await maintenanceOf(
    pretendTable(async () => {}),
    plainRows.indexes,
    'used',
  )
  for (let commit = 1; commit < 63; commit += 1) byCommits.committed(2)
  assert.equal(byCommits.isDue(), false)
  byCommits.committed(2)
  assert.equal(byCommits.isDue(), true)
  await byCommits.run()
  assert.equal(byCommits.isDue(), false)

  const byRows = await maintenanceOf(
    pretendTable(async () => {}),
    plainRows.indexes,
    'used',
  )
  byRows.committed(1_500)
  assert.equal(byRows.isDue(), false)
  byRows.committed(500)
  assert.equal(byRows.isDue(), true)
})

test('a failed maintenance is reported and shows in health until one succeeds, and is tried again', async () => {
  let broken = true
  const maintenance = await maintenanceOf(
    pretendTable(async () => {
      if (broken) throw new Error('commit conflict')
    }),
    plainRows.indexes,
    'used',
  )
  await assert.rejects(maintenance.run(), /commit conflict/)
  const reports: string[] = []
  const commitAndRun = async () => {
    for (let commit = 0; commit < 64; commit += 1) maintenance.committed(1)
    await maintenance.runIfDue((message) => reports.push(message))
  }
  await commitAndRun()
  assert.deepEqual(reports, ['maintenance failed 2 times in a row: commit conflict'])
  const failed = await maintenance.health()
  assert.deepEqual([failed.failures, failed.lastError, failed.lastOptimizedAt], [2, 'commit conflict', null])
  broken = false
  await commitAndRun()
  assert.equal(reports.length, 1)
  const recovered = await maintenance.health()
  assert.deepEqual([recovered.failures, recovered.lastError], [0, null])
  assert.ok(recovered.lastOptimizedAt !== null)
})

test('the writer keeps fragments and unindexed rows few by itself, and every row is still there', async (t) => {
  const shard = await lanceStore(await temporaryFolder(t)).write(testShard)
  for (let offset = 0; offset < 150; offset += 1) {
    await shard.apply({
      table,
      changes: [{ kind: 'put', row: testRow(`r${offset}`, offset) }],
      watermark: offset + 1,
    })
  }
  const health = (await shard.health()).get(table.name)
  assert.ok(health && health.fragments < 70, `${health?.fragments} fragments`)
  assert.ok(health.lastOptimizedAt !== null)
  assert.equal(await shard.count(table, { space: testSpace }), 150)
  await shard.optimize()
  const tidy = (await shard.health()).get(table.name)
  // Indexed and unindexed rows are compacted apart, until the next time.
  assert.ok(tidy && tidy.fragments <= 2, `${tidy?.fragments} fragments`)
  assert.deepEqual([tidy.unindexedRows, tidy.failures], [0, 0])
  await shard.close()
})

/** Files of the shard that hold these bytes, compression aside, and all files with rows or index entries in them. */
async function filesOf(
  uri: string,
  bytes: string,
): Promise<{ readonly holding: string[]; readonly content: string[] }> {
  const entries = await readdir(uri, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const holding = []
  for (const file of files) if ((await readFile(file, 'latin1')).toLowerCase().includes(bytes)) holding.push(file)
  return { holding, content: files.filter((file) => /\/(data|_indices)\//.test(file)) }
}

test('after an erase no file is left of those that held a removed row', async (t) => {
  const views = await temporaryFolder(t)
  const shard = await lanceStore(views).write(testShard)
  const rows = Array.from({ length: 400 }, (_, offset) =>
    testRow(`r${offset}`, offset, offset === 200 ? { text: 'zqcanaryqz' } : {}),
  )
  await shard.apply({ table, changes: rows.map((row) => ({ kind: 'put', row })), watermark: 400 })
  // This merge packs the rows of the batch before.
  await shard.apply({ table, changes: [{ kind: 'put', row: testRow('r400', 400) }], watermark: 401 })
  assert.equal((await shard.changes(table, testSpace, 0)).packs.length, 1)
  // Twice, so that the row lies in the middle of one large, fully indexed fragment.
  await shard.optimize()
  await shard.optimize()
  const before = await filesOf(views, 'zqcanaryqz')
  assert.ok(before.holding.length > 0)
  const remove = { kind: 'remove', space: testSpace, id: 'r200', offset: 401 } as const
  await shard.apply({ table, changes: [remove], watermark: 402 })
  await shard.erase()
  const after = await filesOf(views, 'zqcanaryqz')
  assert.deepEqual(after.holding, [])
  assert.deepEqual(
    after.content.filter((file) => before.content.includes(file)),
    [],
  )
  assert.equal(await shard.count(table, { space: testSpace }), 400)
  assert.equal((await shard.fullText(table, { space: testSpace, query: 'r7', limit: 9 })).length, 1)
  await shard.close()
})
