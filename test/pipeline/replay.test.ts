/** Replays, by command: a repetition changes nothing, and a replay calls no model. */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyLogOnly, fixture, ingestAndHash, ingestArgs } from './fixture.ts'
import { loomlog } from './loomlog.ts'

test('ingesting a file twice changes nothing, and another log gives the same ids', async (t) => {
  const made = await fixture(t, 24)
  const first = await ingestAndHash(made, join(made.dir, 'a'))
  const again = await loomlog(ingestArgs(made, join(made.dir, 'a')), made.environment)
  assert.deepEqual(pick(again.stdout), { appended: 0, known: made.ids.length + 3 })
  assert.equal(await ingestAndHash(made, join(made.dir, 'a')), first)
  assert.equal(await ingestAndHash(made, join(made.dir, 'b')), first)
})

test('without state and views, the log gives the same memory, and the fake model is never called', async (t) => {
  // Vectors for search are not recorded: the default embedder computes them again, on this machine.
  const made = await fixture(t, 24, { LOOMLOG_EMBEDDER: 'words' })
  const first = await ingestAndHash(made, join(made.dir, 'a'))
  assert.ok(made.endpoint.calls().chat >= 3, 'the first derivation asks the fake model')
  const replay = join(made.dir, 'replay')
  await mkdir(replay)
  await copyLogOnly(join(made.dir, 'a'), replay)
  made.endpoint.reset()
  made.endpoint.setMode('forbid')
  assert.equal(await ingestAndHash(made, replay), first)
  assert.equal(made.endpoint.calls().total, 0)
})

function pick(stdout: string) {
  const { appended, known } = JSON.parse(stdout) as { appended: number; known: number }
  return { appended, known }
}
