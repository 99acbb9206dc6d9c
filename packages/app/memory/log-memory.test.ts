/** The memory of a log alone: it is of one tenant, and its local index is open only while a call appends. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { ImportingMemory } from '@loomlog/client/importing-memory'
import { isLoomlogError } from '@loomlog/errors'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import type { ImportedEvent } from '@loomlog/intake/formats'
import { utteranceFrom } from '@loomlog/intake/utterance'
import { logMemory } from './log-memory.ts'

function utterance(id: string, text: string, tenant = 'acme'): ImportedEvent {
  const line = { id, conversation: 'c', speaker: 'Maya', at: '2026-03-02T09:00:00Z', text }
  return utteranceFrom(line, { tenant, space: 'home' }, Date.now())
}

async function emptyMemory(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-log-memory-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  const memory: ImportingMemory = logMemory(host, { tenant: 'acme', onDropped: (_, why) => assert.fail(why) })
  t.after(async () => {
    await memory.close()
    await host.close()
    await rm(dir, { recursive: true })
  })
  const index = join(dir, 'utterances-index.db')
  const stored = (id: string) => `acme/home/${host.sealing?.name(`acme/home/${id}`)}`
  const assertClosed = (ids: readonly string[]) => assertHolds(index, ids.map(stored))
  return { memory, index, assertClosed, records: async () => (await host.log.endOffsets('utterances'))[0] }
}

/** With its last connection SQLite moves the write-ahead log into the file, and removes it. */
function assertHolds(index: string, ids: readonly string[]): void {
  assert.ok(!existsSync(`${index}-wal`), 'the index is closed')
  const bytes = readFileSync(index)
  for (const id of ids) assert.ok(bytes.includes(id), `the index has ${id}`)
}

test('events of another tenant are refused, all of them', async (t) => {
  const { memory, records } = await emptyMemory(t)
  const events = [utterance('u1', 'I sail.'), utterance('u2', 'I row.', 'other')]
  await assert.rejects(memory.append(events, {}), (error) => {
    assert.ok(isLoomlogError(error, 'input-invalid'))
    assert.match(error.message, /tenant of an event is "other": expected acme/)
    return true
  })
  assert.equal(await records(), 0)
})

test('the index of known ids is whole and closed after each call, and a dry run opens none', async (t) => {
  const { memory, index, assertClosed } = await emptyMemory(t)
  const space = memory.space('home')
  const retraction = { by: 'Ines', role: 'human', reason: null, speaker: 'Maya' } as const
  await space.retract({ ...retraction, dryRun: true })
  assert.ok(!existsSync(index))
  const corrected = await space.correct({ by: 'Ines', role: 'human', action: 'add', text: 'Maya rows.' })
  assertClosed(corrected.ids)
  await memory.append([utterance('u1', 'I sail.')], {})
  assertClosed(['u1'])
  const { ids } = await space.retract({ ...retraction, dryRun: false })
  assert.equal(ids.length, 1)
  assertClosed(ids)
})

test('calls at the same time share the index: an id is appended once, and one with other content is refused', async (t) => {
  const { memory, assertClosed, records } = await emptyMemory(t)
  const calls = ['I sail.', 'I sail.', 'I row.'].map((text) => memory.append([utterance('u1', text)], {}))
  const [first, same, other] = await Promise.allSettled(calls)
  assert.deepEqual(
    [first, same].map((call) => call?.status === 'fulfilled' && call.value.appended),
    [1, 0],
  )
  assert.ok(other?.status === 'rejected' && isLoomlogError(other.reason, 'id-conflict'))
  assert.equal(await records(), 1)
  assertClosed(['u1'])
})
