/** `loomlog verify` on an intact view, and on a damaged one. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from '@lancedb/lancedb'
import { invertVectors } from '../../packages/views/lancedb/invert-vectors.ts'
import { fixture, ingestAndHash } from '../pipeline/fixture.ts'
import { loomlog } from '../pipeline/loomlog.ts'

test('an intact view equals the log; a changed or removed row is found with exit code 1, and repaired', async (t) => {
  // Without encryption, so that a row is found by its id.
  const made = await fixture(t, 24, { LOOMLOG_PARTITIONS: '1', LOOMLOG_ENCRYPTION: 'off' })
  const dir = join(made.dir, 'log')
  await ingestAndHash(made, dir)
  const verify = () => loomlog(['verify', '--dir', dir, '--json'], made.environment)
  const before = await verify()
  const { tables, differences } = JSON.parse(before.stdout) as {
    readonly tables: readonly { readonly table: string; readonly watermark: number }[]
    readonly differences: number
  }
  assert.deepEqual([before.code, differences], [0, 0], before.stderr)
  assert.ok(tables.some(({ table, watermark }) => table === 'facts' && watermark > 0))

  const [ids, table] = await factsOf(dir)
  await table.update({ where: `id = '${ids[0]}'`, values: { text: 'something that nobody said' } })
  await table.delete(`id = '${ids[1]}'`)
  const after = await verify()
  const found = JSON.parse(after.stdout) as { readonly tables: readonly { readonly shown: readonly object[] }[] }
  const named = found.tables.flatMap(({ shown }) => shown) as readonly { id: string; what: string; fields: string[] }[]
  assert.equal(after.code, 1)
  assert.deepEqual(
    named.map(({ id, what, fields }) => [id, what, fields]).sort(),
    [
      [ids[0], 'differs', ['text']],
      [ids[1], 'missing', []],
    ].sort(),
  )
  const repaired = await loomlog(['verify', '--repair', '--dir', dir, '--json'], made.environment)
  assert.deepEqual([repaired.code, JSON.parse(repaired.stdout).differences], [0, 0], repaired.stderr)
})

for (const [encryption, message] of [
  ['off', /the vector of a row of table facts does not match its checksum/],
  ['on', /encrypted bytes of a view do not match their checksum/],
] as const) {
  test(`vectors that were inverted on disk are found with exit code 1, and repaired, encryption ${encryption}`, async (t) => {
    const made = await fixture(t, 24, { LOOMLOG_PARTITIONS: '1', LOOMLOG_ENCRYPTION: encryption })
    const dir = join(made.dir, 'log')
    await ingestAndHash(made, dir)
    const folders = (await readdir(join(dir, 'views'), { recursive: true })).filter((name) =>
      name.endsWith('facts.lance'),
    )
    for (const folder of folders) assert.ok((await invertVectors(join(dir, 'views', folder), 'facts')) > 1)
    const after = await loomlog(['verify', '--dir', dir], made.environment)
    assert.equal(after.code, 1, after.stdout)
    assert.match(after.stdout, message)
    const repaired = await loomlog(['verify', '--repair', '--dir', dir, '--json'], made.environment)
    assert.deepEqual([repaired.code, JSON.parse(repaired.stdout).differences], [0, 0], repaired.stderr)
  })
}

/** The ids of two facts, and their table. */
async function factsOf(dir: string) {
  for (const view of await readdir(join(dir, 'views'))) {
    for (const shard of await readdir(join(dir, 'views', view))) {
      const connection = await connect(join(dir, 'views', view, shard))
      if (!(await connection.tableNames()).includes('facts')) continue
      const table = await connection.openTable('facts')
      const rows = await table.query().where("key <> '#watermark'").select(['id']).toArray()
      if (rows.length > 1) return [rows.map((row) => String(row.id)), table] as const
    }
  }
  throw new Error('there are no two facts in any shard')
}
