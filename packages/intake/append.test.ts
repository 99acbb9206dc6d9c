import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Log } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { IdConflict, Intake, recordOf } from './append.ts'
import { utteranceFrom } from './utterance.ts'

async function opened(t: TestContext): Promise<{ log: Log; codec: Codec }> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-intake-'))
  const log = openSqliteLog({ dir })
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  await log.createTopic({ name: 'utterances', partitions: 4, retentionMs: null })
  return { log, codec: await Codec.open(log.schemas) }
}

function said(id: string, text: string, space = 'home'): UtteranceAppended {
  const input = { id, conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text }
  return utteranceFrom(input, { tenant: 'default', space }, Date.now())
}

async function texts({ log, codec }: { log: Log; codec: Codec }): Promise<string[]> {
  const found: string[] = []
  for await (const records of log.read({ topic: 'utterances', until: 'end' })) {
    for (const { value } of records) found.push(((await codec.decode(value)) as UtteranceAppended).text)
  }
  return found
}

test('the same again is known and not written, in one input, later, and in another process', async (t) => {
  const place = await opened(t)
  const intake = new Intake(place)
  assert.deepEqual(await intake.append([said('1', 'a'), said('1', 'a')]), { appended: 1, known: 1 })
  assert.deepEqual(await intake.append([said('1', 'a'), said('2', 'b')]), { appended: 1, known: 1 })
  assert.deepEqual(await new Intake(place).append([said('2', 'b')]), { appended: 0, known: 1 })
  assert.deepEqual(await texts(place), ['a', 'b'])
})

test('an id with other content is refused before anything is written, whoever wrote it first', async (t) => {
  const place = await opened(t)
  const intake = new Intake(place)
  await intake.append([said('1', 'a')])
  await place.log.append('utterances', [recordOf(said('2', 'theirs'), place.codec)])
  for (const batch of [
    [said('9', 'x'), said('1', 'b')],
    [said('9', 'x'), said('2', 'ours')],
    [said('9', 'x'), said('9', 'y')],
  ]) {
    await assert.rejects(intake.append(batch), (error) => error instanceof IdConflict && error.id === batch[1]?.id)
  }
  assert.deepEqual(await texts(place), ['a', 'theirs'])
})

test('of two at once with the same id, one wins and the other is refused', async (t) => {
  const place = await opened(t)
  const intake = new Intake(place)
  const both = await Promise.allSettled([intake.append([said('1', 'a')]), intake.append([said('1', 'b')])])
  assert.deepEqual(
    both.map((one) => one.status),
    ['fulfilled', 'rejected'],
  )
  assert.deepEqual(await texts(place), ['a'])
})

test('the same id in another space is another utterance', async (t) => {
  const place = await opened(t)
  const intake = new Intake(place)
  await intake.append([said('1', 'a')])
  assert.deepEqual(await intake.append([said('1', 'b', 'work')]), { appended: 1, known: 0 })
})

test('bytes that nobody can read are no reason to refuse what comes after them', async (t) => {
  const place = await opened(t)
  await place.log.append('utterances', [{ key: 'default/home', value: Buffer.from('garbage'), timestamp: 0 }])
  assert.deepEqual(await new Intake(place).append([said('1', 'a')]), { appended: 1, known: 0 })
})

test('when it is stopped, it says how many are durable, and again appends the rest', async (t) => {
  const place = await opened(t)
  const intake = new Intake(place)
  const all = Array.from({ length: 1_200 }, (_, n) => said(`${n}`, `text ${n}`))
  const stop = new AbortController()
  const stopped = await intake.append(all, { signal: stop.signal, onProgress: () => stop.abort() })
  assert.deepEqual(stopped, { appended: 500, known: 0 })
  assert.deepEqual(await intake.append(all), { appended: 700, known: 500 })
  assert.equal(new Set(await texts(place)).size, 1_200)
})

test('a failed append leaves nothing behind that a later one would take for known', async (t) => {
  const place = await opened(t)
  let failing = true
  const log: Log = {
    ...place.log,
    append: (...args) => (failing ? Promise.reject(new Error('no disk')) : place.log.append(...args)),
  }
  const intake = new Intake({ ...place, log })
  await assert.rejects(intake.append([said('1', 'a')]), /no disk/)
  failing = false
  assert.deepEqual(await intake.append([said('1', 'a')]), { appended: 1, known: 0 })
})
