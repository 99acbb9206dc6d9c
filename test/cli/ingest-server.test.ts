/** `loomlog ingest` to a server: lines of several spaces in turn, and lines of a tenant that the key doesn't write. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { utimes } from 'node:fs/promises'
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
    assertRefused(await place.run('ingest', theirs, ...at), 2, new RegExp(`${tenant}\\.jsonl:1: .*tenant`))
  }
  const conflict = await place.file('conflict.jsonl', lines + utteranceLine({ id: 'm3', space: 's0', text: 'I row.' }))
  assertRefused(
    await place.run(
      'ingest',
      await place.file('one.jsonl', utteranceLine({ id: 'm4', space: 's1', text: 'No.' })),
      ...at,
    ),
    2,
    /one\.jsonl:1: the id m4 is in acme\/s1 already, with other content; events before it are appended/,
  )
  assertRefused(await place.run('ingest', conflict, ...at), 2, /conflict\.jsonl:13: the id m3 is at .*:4 already/)
  const dry = JSON.parse((await place.run('ingest', file, ...at, '--dry-run')).stdout)
  assert.deepEqual([dry.events, dry.known], [18, null])

  const message = { role: 'user', content: 'I moved to Porto.' }
  const chat = await place.file('talk.json', JSON.stringify([message]))
  assert.equal(JSON.parse((await place.run('ingest', chat, ...at)).stdout).appended, 3)
  await place.file('talk.json', JSON.stringify([message, { role: 'assistant', content: 'Good luck!' }]))
  await utimes(chat, new Date(0), new Date(0))
  const grown = await place.run('ingest', chat, ...at)
  assertSucceeded(grown)
  assert.match(grown.stderr, /2 messages have no time: they get that of their append/)
  assert.deepEqual([JSON.parse(grown.stdout).appended, JSON.parse(grown.stdout).known], [3, 1])
})
