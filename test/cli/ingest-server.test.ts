/** `loomlog ingest` to a server: lines of several spaces in turn, and lines of a tenant that the key doesn't write. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { assertRefused, assertSucceeded, commandFixture, utteranceLine } from './fixture.ts'

test('lines of many spaces go to their spaces, and a key of one tenant writes no other', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  assertSucceeded(await place.run('init'))
  const made = await place.run('keys', 'create', '--tenant', 'acme', '--scope', 'append', 'recall', '--json')
  assertSucceeded(made)
  const running = place.start('up', '--port', '0', '--json')
  const [started] = (await once(running.process.stdout as Readable, 'data')) as [Buffer]
  const at = ['--url', JSON.parse(started.toString()).url, '--key', JSON.parse(made.stdout).key, '--json']
  const lines = Array.from({ length: 12 }, (_, n) => utteranceLine({ id: `m${n}`, space: `s${n % 3}` })).join('')
  const file = await place.file('turns.jsonl', lines)
  const first = await place.run('ingest', file, ...at)
  assertSucceeded(first)
  assert.deepEqual(Object.keys(JSON.parse(first.stdout).positions).sort(), ['s0', 's1', 's2'])
  assert.equal(JSON.parse(first.stdout).appended, 12 + 3 + 3)
  assert.equal(JSON.parse((await place.run('ingest', file, ...at)).stdout).appended, 0)
  const recalled = await place.run('recall', 'Lisbon', '--space', 's1', ...at)
  assert.match(recalled.stdout, /I live in Lisbon/)
  for (const tenant of ['other', 'default']) {
    const theirs = await place.file(`${tenant}.jsonl`, utteranceLine({ tenant }))
    assertRefused(await place.run('ingest', theirs, ...at), 2, /tenant/)
  }
})
