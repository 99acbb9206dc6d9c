/** The contract of a `Memory`, on a log and on a server over the same log: the same calls give the same results. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { LoomlogClient } from '@loomlog/client/loomlog-client'
import type { Memory, MemorySpace } from '@loomlog/client/memory'
import { serverMemory } from '@loomlog/client/server-memory'
import { isLoomlogError } from '@loomlog/errors'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { type ImportedEvent, readFormat } from '@loomlog/intake/formats'
import pino from 'pino'
import { eventually } from '../../../test/eventually.ts'
import { startServer } from '../server.ts'
import { logMemory } from './log-memory.ts'

const tenant = 'acme'
const names = ['log', 'server'] as const
const by = { by: 'Ines', role: 'human' } as const

function conversation(space: string, texts: readonly string[]): readonly ImportedEvent[] {
  const lines = texts.map((text, n) =>
    JSON.stringify({ id: `u${n}`, conversation: 'c', speaker: 'Maya', at: `2026-03-02T09:0${n}:00Z`, text }),
  )
  const text = lines.join('\n')
  return readFormat('jsonl', { file: 'talk.jsonl', text, place: { tenant, space }, appendedAt: Date.now() })
}

describe('a memory', () => {
  let memories: { readonly [name in (typeof names)[number]]: Memory }
  const closing: (() => Promise<unknown>)[] = []

  before(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'loomlog-memory-'))
    closing.push(() => rm(dir, { recursive: true }))
    const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '2' }))
    closing.push(() => host.close())
    const { signal } = new AbortController()
    const address = { host: '127.0.0.1', port: 0 }
    const server = await startServer(host, { address, logger: pino({ level: 'silent' }), signal, onNews() {} })
    closing.push(() => server.close())
    const onDropped = (_count: number, why: string) => assert.fail(why)
    const client = new LoomlogClient({ url: server.url, key: null, tenant })
    memories = { log: logMemory(host, { tenant, onDropped }), server: serverMemory(client) }
    closing.push(() => memories.log.close())
    const events = conversation('home', ['I live in Lisbon.', 'I work at Acme.', 'I drive trams.'])
    const { positions } = await memories.log.append(events, {})
    await memories.log.space('home').recall('Lisbon', { after: positions.home, reach: 'derived' })
    await eventually(async () => assert.ok((await feedOf(memories.log)).length > 0))
  })
  after(async () => {
    for (const close of closing.reverse()) await close()
  })

  async function feedOf(memory: Memory): Promise<readonly object[]> {
    const events: object[] = []
    for await (const event of memory.events({ until: 'end', signal: new AbortController().signal })) events.push(event)
    return events
  }

  /** The result of a call on both, which is the same. */
  async function same<T>(call: (memory: Memory) => Promise<T>): Promise<T> {
    const [onLog, onServer] = [await call(memories.log), await call(memories.server)]
    // As JSON, in which a field without a value is absent.
    assert.deepEqual(JSON.parse(JSON.stringify(onServer)), JSON.parse(JSON.stringify(onLog)))
    return onServer
  }

  test('gives the same evidence, context, tools, sources and effects', async () => {
    const inHome = <T>(call: (space: MemorySpace) => Promise<T>) => same((memory) => call(memory.space('home')))
    const { memories: facts } = await inHome((space) => space.recall('Where does Maya live?', { kind: 'fact' }))
    const id = facts[0]?.id ?? ''
    assert.match(facts[0]?.text ?? '', /Lisbon/)
    const explained = await inHome((space) => space.recall('Lisbon', { explain: 'yes', limit: '1', answer: 'yes' }))
    assert.ok((explained.candidates ?? []).length > 1)
    assert.match(explained.answer?.why ?? '', /no model/)
    const { notices } = await same((memory) => memory.space('hom').recall('Lisbon', { also: ['home'] }))
    assert.match(notices?.[0] ?? '', /no space named "hom"; the nearest: "home"/)
    assert.match((await inHome((space) => space.context(undefined, { budget: '200' }))).text, /Lisbon/)
    assert.match((await inHome((space) => space.context('Where?', { for: 'Maya' }))).text, /Lisbon/)
    assert.ok((await inHome((space) => space.useTool('exact_pattern', { pattern: 'Lisbon' }))).lines.length > 0)
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
      ['input-invalid', (space) => space.context('x', { budget: 'x' })],
      ['input-invalid', (space) => space.correct({ ...by, action: 'add' })],
      ['input-invalid', (space) => space.retract({ ...by, reason: null, dryRun: true })],
      ['not-found', (space) => space.correct({ ...by, action: 'pin', memory: 'none' })],
      ['not-found', (space) => space.recall('x', { generation: 'none' })],
      ['not-found', (space) => space.why('none')],
      ['not-found', (space) => space.impact('none', { limit: 1 })],
      ['not-found', (space) => space.useTool('none', {})],
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
    ]
    for (const call of calls) {
      const error = await same((memory) => call(memory.space('a/b')).then(() => null, errorOf))
      assert.match(error?.message ?? '', /space is "a\/b": expected a name without a slash/, `${call}`)
    }
  })

  for (const name of names) {
    test(`appends each event once (${name})`, async () => {
      const [memory, events] = [memories[name], conversation(`of-${name}`, ['I sail.', 'I row.'])]
      const done: number[] = []
      const first = await memory.append(events, { onProgress: (count) => done.push(count) })
      assert.deepEqual([first.appended, first.known, done.at(-1)], [4, 0, 4])
      assert.match(first.positions[`of-${name}`] ?? '', /^\d@\d+$/)
      assert.deepEqual(await memory.append(events, {}), { ...first, appended: 0, known: 4 })
      const other = conversation(`of-${name}`, ['I walk.'])
      await assert.rejects(memory.append(other, {}), (error) => isLoomlogError(error, 'id-conflict'))
      const stopped = { signal: AbortSignal.abort() }
      const { appended } = await memory.append(conversation(`stopped-${name}`, ['I sail.']), stopped)
      assert.equal(appended, 0)
    })

    test(`corrects and retracts (${name})`, async () => {
      const memory = memories[name]
      const space = memory.space(`changed-${name}`)
      const { positions } = await memory.append(conversation(`changed-${name}`, ['I live in Lisbon.']), {})
      const after = { after: positions[`changed-${name}`], reach: 'derived', kind: 'fact' } as const
      const [fact] = (await space.recall('Lisbon', after)).memories
      const correction = { ...by, action: 'replace', memory: fact?.id, text: 'Maya lives in Porto.' } as const
      const corrected = await space.correct(correction)
      assert.deepEqual([corrected.appended, corrected.known, corrected.corrections.length], [1, 0, 1])
      assert.deepEqual(corrected.ids, [corrected.corrections[0]?.id])
      assert.match(corrected.position, /^\d@\d+$/)
      const retraction = { ...by, speaker: 'Maya', reason: null }
      const plan = await space.retract({ ...retraction, dryRun: true })
      assert.deepEqual([plan.ids, plan.appended, plan.utterances.length], [[], 0, 1])
      assert.ok(!('position' in plan), 'a dry run writes nothing')
      const { ids, appended, utterances, position } = await space.retract({ ...retraction, dryRun: false })
      assert.deepEqual([ids.length, appended, utterances], [1, 1, plan.utterances])
      assert.match(position ?? '', /^\d@\d+$/)
      assert.ok((plan.downstream.facts ?? []).length > 0)
    })

    test(`follows the feed until the signal aborts (${name})`, async () => {
      const stop = new AbortController()
      const [memory, space] = [memories[name], `followed-${name}`]
      for await (const event of memory.events({ until: 'follow', signal: stop.signal })) {
        if (JSON.stringify(event).includes(space)) stop.abort()
        else if (!stop.signal.aborted) await memory.append(conversation(space, ['I live in Lisbon.']), {})
      }
      assert.ok(stop.signal.aborted)
    })
  }
})

function errorOf(error: unknown): { readonly code: string; readonly message: string } {
  assert.ok(isLoomlogError(error), String(error))
  return { code: error.code, message: error.message }
}
