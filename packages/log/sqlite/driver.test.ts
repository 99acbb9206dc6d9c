import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Database } from './driver.ts'

test('a statement can be read as lists and then as objects', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-driver-'))
  const db = new Database({ dir, maxBytes: null, onCommit() {} })
  t.after(async () => {
    db.close()
    await rm(dir, { recursive: true })
  })
  const sql = 'select 1 as one'
  const lists: unknown[] = []
  db.each(sql, [], (row) => {
    lists.push([...row])
    return 'more'
  })
  assert.deepEqual(lists, [[1]])
  assert.deepEqual({ ...db.one<object>(sql) }, { one: 1 })
  assert.deepEqual(
    db.all<object>(sql).map((row) => ({ ...row })),
    [{ one: 1 }],
  )
})
