import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openGivenIds } from './given-ids.ts'

/** The files of an open index of given ids. */
function bytesOfIndexes(): Buffer {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('loomlog-ingest-'))
  const files = folders.flatMap((name) => readdirSync(join(tmpdir(), name)).map((file) => join(tmpdir(), name, file)))
  return Buffer.concat(files.filter((file) => /ids\.db/.test(file)).map((file) => readFileSync(file)))
}

test('the first entry of an id is found with its place, and no file shows an id or the hash of a content', () => {
  const ids = openGivenIds()
  try {
    assert.equal(ids.firstOf('canary-id', { content: 'canary-hash', where: 'chat.jsonl:1' }), null)
    // Enough for SQLite to write pages of the transaction before its end.
    for (let n = 0; n < 40_000; n += 1) ids.firstOf(`canary-id ${n}`, { content: 'canary-hash', where: 'chat.jsonl:2' })
    const place = { where: 'chat.jsonl:1' }
    const same = ids.firstOf('canary-id', { content: 'canary-hash', where: 'chat.jsonl:9' })
    assert.deepEqual(same, { hasSameContent: true, ...place })
    const other = ids.firstOf('canary-id', { content: 'other', where: 'chat.jsonl:9' })
    assert.deepEqual(other, { hasSameContent: false, ...place })
    const bytes = bytesOfIndexes()
    assert.ok(bytes.includes('chat.jsonl:2'))
    for (const canary of ['canary-id', 'canary-hash']) assert.ok(!bytes.includes(canary), canary)
  } finally {
    ids.close()
  }
})
