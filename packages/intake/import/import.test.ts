/** A file's plan and its batches: the same events as those of a file in memory, with every fault before any of them. */
import assert from 'node:assert/strict'
import { appendFile, rename, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { appendOnce } from '../append.ts'
import { openIntakeLog } from '../fixture.ts'
import { readFormat } from '../formats.ts'
import { type ImportBatch, importBatches } from './batches.ts'
import { compareWithLog } from './compare.ts'
import { plannedFile } from './fixture.ts'
import { maxFaults } from './plan.ts'
import { openFileSource, openInputSource } from './source.ts'

const line = (id: string, more: object = {}) =>
  JSON.stringify({ id, conversation: 'c', speaker: 'Ada', at: '2026-03-02T09:00:00Z', text: `text ${id}`, ...more })

async function all(batches: AsyncIterable<ImportBatch>): Promise<readonly ImportBatch[]> {
  const found = []
  for await (const batch of batches) found.push(batch)
  return found
}

test('the batches of a file are its events in order, each conversation and each space with its pause at once', async (t) => {
  const content = [
    line('1', { space: 'a' }),
    line('2', { space: 'b' }),
    line('3', { space: 'a', conversation: 'd' }),
    line('4', { space: 'a' }),
  ].join('\n')
  const { source, plan, options } = await plannedFile(t, content)
  const events = (await all(importBatches(source, plan, options))).flatMap((batch) => batch.events)
  assert.deepEqual(
    events.map((event) =>
      event.type === 'UtteranceAppended'
        ? `${event.space} ${event.id}`
        : `${event.space} ${event.type} ${event.afterUtterance}`,
    ),
    [
      'a 1',
      'b 2',
      'b ConversationPaused 2',
      'b SpacePaused 2',
      'a 3',
      'a ConversationPaused 3',
      'a 4',
      'a ConversationPaused 4',
      'a SpacePaused 4',
    ],
  )
  const place = { tenant: 'default', space: 'home' }
  assert.deepEqual(events, readFormat('jsonl', { file: 'talk', text: content, place, appendedAt: 0 }))
  assert.deepEqual([plan.utterances, plan.last.conversations, plan.last.spaceCount, plan.speakers], [4, 3, 2, 1])
})

test('a batch is of one tenant, also where tenants alternate, and says whether its lines name it', async (t) => {
  const { source, plan, options } = await plannedFile(
    t,
    [
      line('1', { tenant: null }),
      line('2', { tenant: 'default' }),
      line('3', { tenant: 'acme' }),
      line('4', { tenant: 'default' }),
      line('5', { tenant: 'acme' }),
    ].join('\n'),
  )
  assert.deepEqual(plan.faults, [])
  const batches = await all(importBatches(source, plan, options))
  assert.deepEqual(
    batches.map(({ tenant, where }) => [tenant, [...where.values()].map((place) => place.at(-1))]),
    [
      [null, ['1']],
      ['default', ['2', '4']],
      ['acme', ['3', '5']],
    ],
  )
})

test('a plan has every fault with its place, up to a limit, and the number of all', async (t) => {
  const wrong = Array.from({ length: maxFaults + 5 }, (_, n) => line(`${n}`, { text: '' }))
  const { plan } = await plannedFile(t, [line('a'), '{"oops', ...wrong, line('a', { text: 'other' })].join('\n'))
  assert.equal(plan.faults.length, maxFaults)
  assert.equal(plan.faultCount, maxFaults + 7)
  assert.match(plan.faults[0]?.message ?? '', /talk\.json:2: not JSON/)
  assert.match(plan.faults[1]?.message ?? '', /talk\.json:3: text is "": expected words/)
  const { plan: conflicting } = await plannedFile(
    t,
    [line('a'), line('a', { space: 'b', text: 'x' }), line('a', { text: 'other' })].join('\n'),
  )
  assert.deepEqual(
    conflicting.faults.map(({ message }) => message.replace(/\S*\//g, '')),
    ['talk.json:3: the id a is at talk.json:1 already, with other content'],
  )
})

test('a comparison with the log counts its events, names the conflicts with their places, and appends nothing', async (t) => {
  const place = await openIntakeLog(t)
  const before = readFormat('jsonl', {
    file: 'f',
    text: [line('1'), line('2')].join('\n'),
    place: { tenant: 'default', space: 'home' },
    appendedAt: 0,
  })
  await appendOnce(before, place)
  const { source, plan, options } = await plannedFile(
    t,
    [line('1'), line('2', { text: 'other' }), line('3'), line('3'), line('1')].join('\n'),
  )
  assert.equal(plan.repeated, 2)
  const { known, conflicts, conflictCount } = await compareWithLog(importBatches(source, plan, options), plan, place)
  assert.deepEqual([known, conflictCount], [3, 1], 'two of the log, and one of the file')
  const says =
    /talk\.json:2: the id 2 is in default\/home already, with other content: text is "other", and "text 2" in the log; expected /
  assert.match(conflicts[0]?.message ?? '', says)
  const ends = await place.log.endOffsets('utterances')
  assert.equal(
    ends.reduce((sum, end) => sum + end, 0),
    before.length,
  )
})

test('a file that is replaced after its plan is refused, and lines that are added are left out', async (t) => {
  const { source, plan, options } = await plannedFile(t, line('1'))
  await appendFile(source.name, `\n${line('2')}`)
  const [batch] = await all(importBatches(source, plan, options))
  assert.equal(batch?.events.length, 3)
  await writeFile(source.name, `${line('3')}\n${line('4')}\n${line('5')}`)
  await assert.rejects(all(importBatches(source, plan, options)), /talk\.json has changed since it was read first/)
  await writeFile(source.name, '{}')
  await assert.rejects(all(importBatches(source, plan, options)), /talk\.json has changed since it was read first/)
})

test('another file that takes the name midway is not read', async (t) => {
  const { source, plan, options } = await plannedFile(t, line('1'))
  await writeFile(`${source.name}.new`, `${line('2')}\n${line('3')}`)
  await rename(`${source.name}.new`, source.name)
  const [batch] = await all(importBatches(source, plan, options))
  assert.deepEqual(
    batch?.events.filter(({ type }) => type === 'UtteranceAppended').map(({ id }) => id),
    ['1'],
  )
})

test('words of the file, and its name, neither break a line of a fault nor reach a terminal', async (t) => {
  const evil = 'a\n9,999 faults: \u001b[2J\u2028'
  const message = { author: { role: 'robot' }, content: {} }
  const tree = { mapping: { [evil]: { parent: null, message } }, current_node: evil }
  const sample = { sample_id: evil, conversation: { session_1: [], session_1_date_time: 'soon' } }
  const turn = { dia_id: evil, speaker: 'Ana', text: '' }
  const session = { session_1: [turn], session_1_date_time: '1:56 pm on 8 May, 2023' }
  for (const [content, format] of [
    [JSON.stringify([tree]), 'chatgpt'],
    [JSON.stringify([sample]), 'locomo'],
    [JSON.stringify([{ sample_id: 'x', conversation: session }]), 'locomo'],
    [`{"a": ${evil}`, 'jsonl'],
  ] as const) {
    const { plan } = await plannedFile(t, content, format)
    assert.ok(plan.faultCount > 0, content)
    for (const { message } of plan.faults) assert.doesNotMatch(message, /[\p{Cc}\p{Zl}]/u)
  }
  await assert.rejects(
    openFileSource(`/none/${evil}`, new AbortController().signal),
    (error: Error) => !/\p{Cc}/u.test(error.message),
  )
})

test('a stream is copied to a private file, and removed when it is closed or stopped', async () => {
  const stop = new AbortController()
  const source = await openInputSource(Readable.from([Buffer.from(line('1'))]), stop.signal)
  const values = []
  for await (const value of source.values('lines')) values.push(value.where)
  assert.deepEqual([values, source.fileName, source.fileTime], [['standard input:1'], null, null])
  await source[Symbol.asyncDispose]()
  await assert.rejects(source.isList(), /closed/)
  const endless = new Readable({ read() {} })
  const copying = openInputSource(endless, stop.signal)
  stop.abort()
  await assert.rejects(copying, /aborted/)
})
