/** Commands against a server with a key for every tenant. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { assertRefused, assertSucceeded, commandFixture, utteranceLine } from './fixture.ts'

test('a command with a key for every tenant is refused unless --tenant names one, be it the default', async (t) => {
  const place = await commandFixture()
  t.after(() => place.remove())
  assertSucceeded(await place.run('init'))
  const made = await place.run('keys', 'create', '--every-tenant', '--scope', 'append', 'recall', '--json')
  assertSucceeded(made)
  const running = place.start('up', '--port', '0', '--json')
  const [started] = (await once(running.process.stdout as Readable, 'data')) as [Buffer]
  const at = ['--url', JSON.parse(started.toString()).url, '--key', JSON.parse(made.stdout).key, '--json']
  const file = await place.file('chat.jsonl', utteranceLine())
  const missing = /x-loomlog-tenant is missing: expected the name of a tenant/
  assertRefused(await place.run('ingest', file, ...at), 2, missing)
  assertRefused(await place.run('recall', 'Lisbon', ...at), 2, missing)
  for (const tenant of ['default', 'acme']) {
    const appended = await place.run('ingest', file, '--tenant', tenant, ...at)
    assertSucceeded(appended)
    assert.ok(JSON.parse(appended.stdout).appended > 0, `${tenant} has no utterance before`)
  }
})
