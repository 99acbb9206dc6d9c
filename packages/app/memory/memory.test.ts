/**
 * The contract of a `Memory`, in this process and on a server over the same log: the same calls give the same results.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connect } from '@loomlog/client'
import type { Message } from '@loomlog/client/api'
import type { Memory, MemoryEvent, MemorySpace } from '@loomlog/client/memory'
import { isLoomlogError } from '@loomlog/errors'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import pino from 'pino'
import { eventually } from '../../../test/eventually.ts'
import { startServer } from '../server.ts'
import { openMemory } from './open-memory.ts'

const tenant = 'acme'
const names = ['embedded', 'server'] as const
const by = { by: 'Ines', role: 'human' } as const

function messages(texts: readonly string[]): readonly Message[] {
  return texts.map((text, n) => ({ id: `u${n}`, speaker: 'Maya', at: `2026-03-02T09:0${n}:00Z`, text }))
}
const conversation = 'c'

/** Adds the texts of one conversation and ends it, so that its boxes and facts are derived. */
async function addAndEnd(space: MemorySpace, texts: readonly string[]): Promise<string> {
  await space.add(messages(texts), { conversation })
  await space.end({ conversation })
  return (await space.end()).position
}

describe('a memory', () => {
  let memories: { readonly [name in (typeof names)[number]]: Memory }
  const closing: (() => Promise<unknown>)[] = []

  before(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'loomlog-memory-'))
    closing.push(() => rm(dir, { recursive: true }))
    const env = { LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '2' }
    const host = await openHost(configFrom(env))
    closing.push(() => host.close())
    const { signal } = new AbortController()
    const address = { host: '127.0.0.1', port: 0 }
    const server = await startServer(host, { address, logger: pino({ level: 'silent' }), signal, onNews() {} })
    closing.push(() => server.close())
    const embedded = await openMemory({ dir, tenant, env, onNotice: (text) => assert.fail(text) })
    closing.push(() => embedded.close())
    memories = { embedded, server: connect({ url: server.url, tenant }) }
    const home = embedded.space('home')
    const position = await addAndEnd(home, ['I live in Lisbon.', 'I work at Acme.', 'I drive trams.'])
    await home.recall('Lisbon', { after: position, reach: 'derived', wait: 30_000 })
    await eventually(async () => assert.ok((await feedOf(embedded)).length > 0))
  })
  after(async () => {
    for (const close of closing.reverse()) await close()
  })

  async function eventsOf(events: AsyncIterable<MemoryEvent>): Promise<readonly MemoryEvent[]> {
    const all: MemoryEvent[] = []
    for await (const event of events) all.push(event)
    return all
  }

  /** Without offsets, which depend on the size of the chunks that are read. */
  async function feedOf(memory: Memory): Promise<readonly object[]> {
    return (await eventsOf(memory.events({ follow: false }))).map(({ offset: _, ...event }) => event)
  }

  /** The result of a call on both, which is the same. */
  async function same<T>(call: (memory: Memory) => Promise<T>): Promise<T> {
    const [embedded, onServer] = [await call(memories.embedded), await call(memories.server)]
    // As JSON, in which a field without a value is absent.
    assert.deepEqual(JSON.parse(JSON.stringify(onServer)), JSON.parse(JSON.stringify(embedded)))
    return onServer
  }

  test('gives the same evidence, context, tools, sources and effects', async () => {
    const inHome = <T>(call: (space: MemorySpace) => Promise<T>) => same((memory) => call(memory.space('home')))
    const { memories: facts } = await inHome((space) => space.recall('Where does Maya live?', { kind: 'fact' }))
    const id = facts[0]?.id ?? ''
    assert.match(facts[0]?.text ?? '', /Lisbon/)
    const explained = await inHome((space) => space.recall('Lisbon', { explain: true, limit: 1, answer: 'yes' }))
    assert.ok((explained.candidates ?? []).length > 1)
    assert.match(explained.answer?.why ?? '', /no model/)
    const { notices } = await same((memory) => memory.space('hom').recall('Lisbon', { also: ['home'] }))
    assert.match(notices?.[0] ?? '', /no space named "hom"; the nearest: "home"/)
    assert.match((await inHome((space) => space.context(undefined, { budget: 200 }))).text, /Lisbon/)
    assert.match((await inHome((space) => space.context('Where?', { for: 'Maya' }))).text, /Lisbon/)
    assert.ok((await inHome((space) => space.useTool('exact_pattern', { pattern: 'Lisbon' }))).lines.length > 0)
    const { memories: documents } = await inHome((space) => space.list({ kind: 'document' }))
    const documentId = documents[0]?.id ?? ''
    assert.match((await inHome((space) => space.document(documentId))).text, /^# .+\n(.*\n)*- .+/)
    assert.ok((await inHome((space) => space.why(id))).causes.length > 0)
    assert.equal((await inHome((space) => space.impact('u0', { limit: 1 }))).effects.length, 1)
  })

  test('gives the same events', async () => {
    const events = await same(feedOf)
    assert.ok(events.some((event) => 'type' in event && event.type === 'loomlog.fact.recorded'))
  })

  test('refuses with the same errors', async () => {
    const calls: readonly (readonly [code: string, call: (space: MemorySpace) => Promise<unknown>])[] = [
      ['input-invalid', (space) => space.recall('', {})],
      ['input-invalid', (space) => space.recall('x', { trueAt: '2026-02-30' })],
      ['input-invalid', (space) => space.recall('x', { explain: 'yes', agentic: 'yes' })],
      ['input-invalid', (space) => space.recall('x', { also: ['a/b'] })],
      ['input-invalid', (space) => space.context('x', { budget: 0 })],
      ['input-invalid', (space) => space.correct({ ...by, action: 'add' })],
      ['input-invalid', (space) => space.retract({ ...by, reason: null, dryRun: true })],
      ['input-invalid', (space) => space.retract({ ...by, utterances: [] })],
      ['input-invalid', (space) => space.retract({ ...by, ...JSON.parse('{ "utterances": "u1" }') })],
      ['input-invalid', (space) => space.retract({ ...by, ...JSON.parse('{ "speeker": "Maya" }') })],
      ['not-found', (space) => space.correct({ ...by, action: 'pin', memory: 'none' })],
      ['not-found', (space) => space.recall('x', { generation: 'none' })],
      ['not-found', (space) => space.why('none')],
      ['not-found', (space) => space.document('none')],
      ['not-found', (space) => space.impact('none', { limit: 1 })],
      ['not-found', (space) => space.useTool('none', {})],
      ['not-found', (space) => space.end({ conversation: 'none' })],
      ['input-invalid', (space) => space.add([])],
      ['input-invalid', (space) => space.add({ text: 'I row.', speaker: 'Maya' })],
      ['input-invalid', (space) => space.list({ kind: 'none' })],
      ['input-invalid', (space) => space.list({ kind: 'fact', ...JSON.parse('{ "stat": "all" }') })],
      ['input-invalid', (space) => space.end(JSON.parse('{ "conversaton": "a" }'))],
      [
        'input-invalid',
        (space) => space.add({ text: 'I row.', speaker: 'Maya' }, JSON.parse('{ "conversatoin": "a" }')),
      ],
      ['input-invalid', (space) => eventsOf(space.events(JSON.parse('{ "folow": false }')))],
      ['input-invalid', (space) => eventsOf(space.events(JSON.parse('{ "after": -1 }')))],
      ['input-invalid', (space) => space.list({ kind: 'fact', cursor: 'x' })],
    ]
    for (const [code, call] of calls) {
      const error = await same((memory) => call(memory.space('home')).then(() => null, errorOf))
      assert.equal(error?.code, code, `${call}: ${error?.message}`)
    }
  })

  test('refuses a name that is none in the calls of its space', async () => {
    const calls: readonly ((space: MemorySpace) => Promise<unknown>)[] = [
      (space) => space.recall('x', {}),
      (space) => space.context('x', {}),
      (space) => space.correct({ ...by, action: 'pin', memory: 'none' }),
      (space) => space.retract({ ...by, speaker: 'Maya', reason: null, dryRun: true }),
      (space) => space.why('none'),
      (space) => space.impact('none', { limit: 1 }),
      (space) => space.useTool('exact_pattern', { pattern: 'x' }),
      (space) => space.list({ kind: 'fact' }),
      (space) => space.add(messages(['I row.']), { conversation }),
      (space) => space.end(),
    ]
    for (const call of calls) {
      const error = await same((memory) => call(memory.space('a/b')).then(() => null, errorOf))
      assert.match(error?.message ?? '', /space is "a\/b": expected a name without a slash/, `${call}`)
    }
  })

  test('names the faults of a message with their places', async () => {
    const wrong = [
      { speaker: 'Maya', text: 'I row.' },
      { speaker: '', text: 'I row.' },
    ] as const
    const error = await same((memory) =>
      memory
        .space('home')
        .add(wrong, { conversation })
        .then(
          () => assert.fail('it is refused'),
          (thrown) => thrown.toJSON(),
        ),
    )
    assert.deepEqual([error.status, error.errors[0].pointer], [400, '/1/speaker'])
  })

  test('lists one conversation', async () => {
    const list = (conversation: string, cursor?: string) =>
      same((memory) => memory.space('home').list({ kind: 'utterance', conversation, limit: 2, cursor }))
    const { memories: own, next } = await list(conversation)
    assert.deepEqual(
      own.map((memory) => memory.conversation),
      [conversation, conversation],
    )
    assert.deepEqual((await list(` ${conversation} `)).memories, own)
    assert.deepEqual((await list('other')).memories, [])
    await assert.rejects(list('other', next ?? ''), /a page of the same list/)
  })

  test('lists page by page', async () => {
    const list = (cursor?: string) =>
      same((memory) => memory.space('home').list({ kind: 'utterance', limit: 2, cursor }))
    const first = await list()
    const second = await list(first.next ?? '')
    assert.deepEqual(
      [...first.memories, ...second.memories].map(({ id }) => id),
      ['u0', 'u1', 'u2'],
    )
    assert.equal(second.next, null)
  })

  for (const name of names) {
    test(`adds each message once (${name})`, async () => {
      const space = memories[name].space(`of-${name}`)
      const first = await space.add(messages(['I sail.', 'I row.']), { conversation })
      assert.deepEqual([first.ids, first.appended, first.known], [['u0', 'u1'], 2, 0])
      assert.match(first.position, /^\d@\d+$/)
      const again = await space.add(messages(['I sail.', 'I row.']), { conversation })
      assert.deepEqual(again, { ...first, appended: 0, known: 2 })
      await assert.rejects(space.add(messages(['I walk.']), { conversation }), (error) =>
        isLoomlogError(error, 'id-conflict'),
      )
      const chat = await space.add({ role: 'user', name: 'Maya', content: 'I swim.' }, { conversation })
      assert.equal(chat.appended, 1)
      assert.match((await space.recall('swim', { limit: 1 })).memories[0]?.text ?? '', /I swim/)
    })

    test(`adds more than a request takes (${name})`, async () => {
      const space = memories[name].space(`many-${name}`)
      const many = Array.from({ length: 501 }, (_, n) => ({ id: `m${n}`, speaker: 'Maya', text: `Row ${n}.` }))
      const { ids, appended } = await space.add(many, { conversation })
      assert.deepEqual([ids.length, ids[500], appended], [501, 'm500', 501])
      const error = await space.add([...many, { id: 'x', speaker: '', text: 'x' }], { conversation }).catch((e) => e)
      assert.equal(error.errors[0].pointer, '/501/speaker')
    })

    test(`a call whose signal is aborted rejects with the reason (${name})`, async () => {
      const space = memories[name].space(`aborted-${name}`)
      const signal = AbortSignal.abort(new Error('no longer wanted'))
      const calls: readonly (() => Promise<unknown>)[] = [
        () => space.add(messages(['I sail.']), { conversation, signal }),
        () => space.recall('x', { signal }),
        () => space.context('x', { signal }),
        () => space.list({ kind: 'fact', signal }),
        () => space.why('x', { signal }),
        () => space.end({ signal }),
      ]
      for (const call of calls) await assert.rejects(call, /no longer wanted/, `${call}`)
      assert.equal((await memories[name].space('home').list({ kind: 'utterance' })).memories.length, 3)
    })

    test(`corrects and retracts (${name})`, async () => {
      const memory = memories[name]
      const space = memory.space(`changed-${name}`)
      const position = await addAndEnd(space, ['I live in Lisbon.'])
      const after = { after: position, reach: 'derived', kind: 'fact', wait: 30_000 } as const
      // The stages read what other tests have added first: on a slow machine longer than one wait may take.
      const [fact] = (await space.recall('Lisbon', after).catch(() => space.recall('Lisbon', after))).memories
      const correction = { ...by, action: 'replace', memory: fact?.id ?? '', text: 'Maya lives in Porto.' } as const
      const corrected = await space.correct(correction)
      assert.deepEqual([corrected.appended, corrected.known, corrected.corrections.length], [1, 0, 1])
      assert.deepEqual(corrected.ids, [corrected.corrections[0]?.id])
      assert.match(corrected.position, /^\d@\d+$/)
      const retraction = { ...by, speaker: 'Maya', reason: null }
      const plan = await space.retract({ ...retraction, dryRun: true })
      assert.deepEqual([plan.ids, plan.appended, plan.utterances.length], [[], 0, 1])
      assert.ok(!('position' in plan), 'a dry run writes nothing')
      const ids = plan.utterances.map(({ id }) => id)
      const byId = await space.retract({ ...by, utterances: ids, reason: null, dryRun: true })
      assert.deepEqual([byId.utterances, byId.downstream], [plan.utterances, plan.downstream])
      const retracted = await space.retract({ ...retraction, dryRun: false })
      assert.deepEqual([retracted.ids.length, retracted.appended, retracted.utterances], [1, 1, plan.utterances])
      assert.match(retracted.position ?? '', /^\d@\d+$/)
      assert.ok((plan.downstream.facts ?? []).length > 0)
    })

    test(`follows the feed until the signal aborts, and continues after an event (${name})`, async () => {
      const stop = new AbortController()
      const space = memories[name].space(`followed-${name}`)
      const adding = addAndEnd(space, ['I live in Lisbon.'])
      const followed: MemoryEvent[] = []
      for await (const event of space.events({ signal: stop.signal })) {
        followed.push(event)
        if (event.type === 'loomlog.fact.recorded') stop.abort()
      }
      await adding
      const [all, last] = [await eventsOf(space.events({ follow: false })), followed.at(-1)]
      const rest = await eventsOf(space.events({ after: last?.offset, follow: false }))
      const ids = new Set([...followed, ...rest].map(({ id }) => id))
      assert.deepEqual([...ids].sort(), all.map(({ id }) => id).sort())
      const facts = await eventsOf(space.events({ types: ['loomlog.fact.recorded'], follow: false }))
      assert.ok(facts.length > 0 && facts.every(({ type }) => type === 'loomlog.fact.recorded'))
      assert.deepEqual(await eventsOf(space.events({ after: 'now', follow: false })), [])
      await assert.rejects(eventsOf(space.events({ after: 'x' })), (error) => isLoomlogError(error, 'input-invalid'))
      await assert.rejects(eventsOf(space.events(JSON.parse('{ "types": ["x"] }'))), (error) =>
        isLoomlogError(error, 'input-invalid'),
      )
    })
  }
})

function errorOf(error: unknown): { readonly code: string; readonly message: string } {
  assert.ok(isLoomlogError(error), String(error))
  return { code: error.code, message: error.message }
}
