/** The index of known ids after a forgetting, and beside an encrypted log. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Log } from '@loomlog/log/port'
import { type TestSealing, testSealing } from '@loomlog/log/sealing-fixture'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { contentHash } from '@loomlog/schemas/admission'
import { Codec } from '@loomlog/schemas/codec'
import type { SubjectForgotten } from '@loomlog/schemas/events'
import { Intake } from './append.ts'
import { utteranceFrom } from './utterance.ts'

const at = '2026-03-02T09:00:00Z'

function said(id: string, text = 'Ann sails.', space = 'home') {
  const line = { id, conversation: 'kitchen', speaker: 'Ann', at, text }
  return utteranceFrom(line, { tenant: 'acme', space }, Date.parse(at))
}

const marker: SubjectForgotten = {
  type: 'SubjectForgotten',
  id: 'forgotten1',
  tenant: 'acme',
  space: 'home',
  seq: null,
  subject: '',
  forgetting: 'f1',
  kept: 1,
  by: 'Ann',
  at: Date.parse(at),
  appendedAt: Date.parse(at),
  principal: null,
  keyId: null,
}

/** A log with two intakes, as of two processes, that share the index in its folder. */
async function intakes(t: TestContext, sealing: TestSealing | null = null) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-forgotten-'))
  const plain = openSqliteLog({ dir: join(dir, 'log') })
  const log = { ...plain, sealing } as Log
  await log.createTopic({ name: 'utterances', partitions: 1, retentionMs: null })
  const codec = await Codec.open(log.schemas)
  const indexDir = join(dir, 'index')
  const opened = new Set<Intake>()
  const open = () => {
    const intake = new Intake({ log, codec, dir: indexDir })
    opened.add(intake)
    return intake
  }
  const close = async (intake: Intake) => {
    opened.delete(intake)
    await intake.close()
  }
  t.after(async () => {
    for (const intake of opened) await close(intake)
    await log.close()
    await rm(dir, { recursive: true })
  })
  const forget = async (kept: ReturnType<typeof said>) => {
    const records = [marker, kept].map((event) => ({ key: 'acme/home', value: codec.encode(event), timestamp: 0 }))
    await log.append('utterances', records)
  }
  const bytes = async () =>
    Buffer.concat(await Promise.all((await readdir(indexDir)).map((name) => readFile(join(indexDir, name)))))
  return { open, close, forget, bytes }
}

const counts = ({ appended, known }: { readonly appended: number; readonly known: number }) => [appended, known]

test('a forgotten id may be appended again with other content; a kept one, and one of another space, is known', async (t) => {
  const { open, close, forget, bytes } = await intakes(t)
  const [one, other] = [open(), open()]
  await one.append([said('canary-gone'), said('kept'), said('elsewhere', 'Bob rows.', 'work')])
  // The other process has the forgotten ids in memory, and writes them after the first one has erased them.
  await other.append([said('late')])
  await close(one)
  assert.ok((await bytes()).includes('canary-gone'))
  await forget(said('kept'))
  const third = open()
  assert.deepEqual(counts(await third.append([said('kept'), said('elsewhere', 'Bob rows.', 'work')])), [0, 2])
  assert.ok(!(await bytes()).includes('canary-gone'))
  await close(other)
  assert.ok(!(await bytes()).includes('canary-gone'))
  assert.deepEqual(counts(await third.append([said('canary-gone', 'Ann rows now.')])), [1, 0])
  await assert.rejects(third.append([said('canary-gone')]), { code: 'id-conflict' })
  assert.deepEqual(counts(await open().append([said('kept'), said('canary-gone', 'Ann rows now.')])), [0, 2])
})

test('an id that is forgotten and kept within one read counts with its content after the forgetting', async (t) => {
  const { open, close, forget } = await intakes(t)
  await open().append([said('kept', 'before')])
  await forget(said('kept', 'after'))
  const later = open()
  assert.deepEqual(counts(await later.append([said('kept', 'after')])), [0, 1])
  await close(later)
  assert.deepEqual(counts(await open().append([said('kept', 'after')])), [0, 1])
})

test('beside an encrypted log the file shows no id and no plain hash of a content', async (t) => {
  const { open, close, bytes } = await intakes(t, testSealing())
  const first = open()
  const event = said('canary-id')
  await first.append([event])
  await close(first)
  const stored = await bytes()
  for (const canary of ['canary-id', contentHash(event), hash('sha256', 'canary-id')])
    assert.ok(!stored.includes(canary), canary)
  const next = open()
  assert.deepEqual(counts(await next.append([event])), [0, 1])
  await assert.rejects(next.append([said('canary-id', 'other')]), { code: 'id-conflict' })
})
