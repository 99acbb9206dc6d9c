import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { leaseOf } from '../contract/groups.ts'
import { readAll, text, textRecord } from '../contract/records.ts'
import { Setup } from '../contract/setup.ts'
import { openSqliteLog } from './adapter.ts'
import { sqliteAdapter } from './contract-adapter.ts'

test('no file of the log holds a byte of an erased record, nor of state that was deleted before', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-erasure-'))
  t.after(() => rm(dir, { recursive: true }))
  const setup = await Setup.start({ ...sqliteAdapter, fresh: async () => ({ argument: dir, remove: async () => {} }) })
  t.after(() => setup.stop())
  const topic = await setup.topic(1)
  const lease = await leaseOf(setup, t, { group: 'g', topic })
  // Records of many sizes, and state that grows and goes: pages are split, freed and filled again.
  for (let round = 0; round < 30; round++) {
    const size = (round * 397) % 3_000
    await setup.log.append(topic, [
      textRecord('a/secret-space', `canary-${round} ${'canary '.repeat(size)}`),
      textRecord('b', `kept ${round}`),
    ])
    const state = Array.from({ length: 20 }, (_, n) => {
      const value = Buffer.from(`canary ${'state '.repeat(size)}`)
      return { key: `canary-${n}`, value: round === 29 ? null : value }
    })
    await lease.commit({ outputs: [], state, position: 0 })
  }
  const other = openSqliteLog({ dir })
  t.after(() => other.close())
  const records = await readAll(other, topic)
  assert.ok((await bytesIn(dir)).includes('canary'))
  await setup.log.erase(records.filter(({ key }) => key === 'a/secret-space'))
  const bytes = await bytesIn(dir)
  for (const word of ['canary', 'secret-space']) assert.equal(bytes.includes(word), false, word)
  assert.equal(bytes.includes('kept 29'), true)
  const kept = Array.from({ length: 30 }, (_, n) => `kept ${n}`)
  assert.deepEqual((await readAll(other, topic)).map(text), kept)
})

async function bytesIn(dir: string): Promise<Buffer> {
  const files = await readdir(dir, { recursive: true, withFileTypes: true })
  return Buffer.concat(
    await Promise.all(files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name)))),
  )
}
