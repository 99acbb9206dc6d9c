import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { hash } from '@loomlog/schemas/ids'
import type { Row } from '@loomlog/views/row'
import { labelOf } from '@loomlog/views/row'
import { memory, row, utterance } from '../fixture.ts'
import { type Kind, kinds } from '../memory.ts'
import { recall } from '../recall.ts'
import type { AsOf, Filter } from './filter.ts'
import { maxSpaces, type RecallRequest } from './request.ts'

const home = 'acme/home'
type Memory = Awaited<ReturnType<typeof memory>>

async function ids(place: Memory, request: Partial<RecallRequest>): Promise<string[]> {
  const { items } = await recall({ space: home, query: 'boat', kinds, limit: 100, ...request }, place)
  return items.map((item) => item.id).sort()
}

test('filters apply to views and to the log tail, alone and combined', async (t) => {
  const place = await memory(t)
  const labels = (metadata: object) => ({
    labels: Object.entries(metadata).map(([name, value]) => labelOf(name, value)),
  })
  const said: readonly (readonly [string, Partial<Row>])[] = [
    ['u1', { speaker: 'Maya', conversation: 'a', at: 10, ...labels({ topic: 'sea', 'it"s': "o'clock" }) }],
    ['u2', { speaker: 'Jon', conversation: 'b', at: 20, ...labels({ topic: 'land' }) }],
    ['u3', { speaker: "O'Hara", conversation: 'a', at: 30, ...labels({}) }],
  ]
  await place.append(utterance(home, 'u1', 'boat'))
  await place.write('utterances', await Promise.all(said.map(([id, fields]) => row(home, id, 'boat', fields))), 1)
  const tail = { ...utterance(home, 'u4', 'boat'), speaker: 'maya', conversation: 'b', at: 40 }
  await place.append({ ...tail, metadata: { topic: 'sea' } })
  await place.write('boxes', [await row(home, 'b1', 'boat', { speaker: 'Jon, Maya', conversation: 'a', at: 10 })])
  await place.write('entries', [await row(home, 'e1', 'boat', { document: 'd1', at: null, validFrom: 20 })])
  const cases: readonly (readonly [Filter, readonly string[]])[] = [
    [{}, ['b1', 'd1', 'u1', 'u2', 'u3', 'u4']],
    [{ speakers: ['MAYA'] }, ['b1', 'u1', 'u4']],
    [{ speakers: ['M\u0430ya'] }, ['b1', 'u1', 'u4']],
    [{ speakers: ["O'Hara", 'Jon'] }, ['b1', 'u2', 'u3']],
    [{ speakers: ['May'] }, []],
    [{ conversations: ['a'] }, ['b1', 'u1', 'u3']],
    [{ from: 20, to: 40 }, ['d1', 'u2', 'u3']],
    [{ metadata: { topic: 'sea' } }, ['u1', 'u4']],
    [{ metadata: { topic: 'sea', 'it"s': "o'clock" } }, ['u1']],
    [{ metadata: { topic: '%' } }, []],
    [{ speakers: ['maya'], conversations: ['b'], from: 40, metadata: { topic: 'sea' } }, ['u4']],
  ]
  for (const [filter, expected] of cases)
    assert.deepEqual(await ids(place, { filter }), expected, JSON.stringify(filter))
})

test('a recall as of a time has the memories known by then, and true at it', async (t) => {
  const place = await memory(t)
  const entry = (id: string, of: string, fields: Partial<Row>) =>
    row(home, id, 'boat', {
      document: id,
      title: 't',
      heading: 'h',
      statement: id,
      facts: [hash(of)],
      ...fields,
    })
  // In Lisbon since 10, learned at 100; in Porto since 20, learned at 200.
  await place.write('facts', [
    await row(home, hash('lisbon'), 'boat in Lisbon', { validFrom: 10, knownFrom: 100 }),
    await row(home, hash('porto'), 'boat in Porto', { validFrom: 20, knownFrom: 200 }),
  ])
  await place.write('entries', [
    await entry('lisbon', 'lisbon', { validFrom: 10, knownFrom: 100, validTo: 20, knownTo: 200 }),
    await entry('porto', 'porto', { validFrom: 20, knownFrom: 200 }),
  ])
  await place.append({ ...utterance(home, 'u1', 'boat'), at: 20, appendedAt: 200 })
  const both = async (asOf: AsOf, kinds: readonly Kind[]) => {
    const { items } = await recall({ space: home, query: 'boat', asOf, kinds }, place)
    return items.map((item) => item.id).sort()
  }
  const cases: readonly (readonly [AsOf, readonly string[]])[] = [
    [{}, ['porto', 'u1']],
    [{ knownAt: 150 }, ['lisbon']],
    [{ knownAt: 50 }, []],
    [{ knownAt: 200 }, ['porto', 'u1']],
    [{ trueAt: 15 }, ['lisbon']],
    [{ trueAt: 25 }, ['porto', 'u1']],
    [{ trueAt: 5 }, []],
    [{ trueAt: 25, knownAt: 150 }, ['lisbon']],
  ]
  for (const [asOf, expected] of cases) {
    assert.deepEqual(await both(asOf, ['document', 'utterance']), expected, JSON.stringify(asOf))
    const facts = expected.filter((id) => id !== 'u1').map(hash)
    assert.deepEqual(await both(asOf, ['fact']), facts, JSON.stringify(asOf))
  }
})

test('several spaces are searched together, the best of all first, each memory with its space', async (t) => {
  const place = await memory(t)
  for (const space of [home, 'acme/team', 'acme/other']) await place.append(utterance(space, `of ${space}`, 'boat'))
  await place.append(utterance('acme/team', 'best', 'a red boat'))
  const space = [home, 'acme/team', home]
  const { items } = await recall({ space, query: 'red boat' }, place)
  assert.deepEqual(items.map((item) => [item.id, item.space])[0], ['best', 'acme/team'])
  assert.deepEqual(items.map((item) => item.id).sort(), ['best', 'of acme/home', 'of acme/team'])
  const many = Array.from({ length: maxSpaces + 1 }, (_, n) => `acme/${n}`)
  for (const wrong of [[], many]) {
    await assert.rejects(ids(place, { space: wrong }), (error) => isLoomlogError(error, 'input-invalid'))
  }
})

test('a recall after a position waits for the view, and is an error after the wait', async (t) => {
  const place = await memory(t)
  await place.append(utterance(home, 'u1', 'boat'))
  const partition = place.views.partitionOf(home)
  const after = { partition, offset: 1, reach: 'raw' } as const
  await assert.rejects(ids(place, { after, maxWaitMs: 100 }), (error) => {
    return (
      isLoomlogError(error, 'views-behind') && error.retryable && /is not reached within 100 ms/.test(error.message)
    )
  })
  const asked = ids(place, { after })
  await place.write('utterances', [await row(home, 'u1', 'boat')], 1)
  assert.deepEqual(await asked, ['u1'])
  await assert.rejects(ids(place, { after: { ...after, offset: 2 } }), /the log, which ends at 1/)
  const others = new RegExp(`expected one of partition ${after.partition}, which`)
  for (const partition of [1 - after.partition, 9]) {
    await assert.rejects(ids(place, { after: { ...after, partition, offset: 0 } }), others)
  }
})

test('reach=derived waits until every stage has processed the output of the stage before, and every view has it', async (t) => {
  const place = await memory(t)
  const partition = place.views.partitionOf(home)
  const stages = [
    ['topic-loom', 'utterances'],
    ['fact-extractor', 'topic-shifts'],
    ['trace-weaver', 'topic-shifts'],
    ['consolidator', 'facts'],
  ] as const
  for (const topic of ['topic-shifts', 'facts', 'event-links', 'consolidations']) {
    await place.log.createTopic({ name: topic, partitions: 2, retentionMs: null })
  }
  await place.append(utterance(home, 'u1', 'boat'))
  await place.write('utterances', [await row(home, 'u1', 'boat')], 1)
  const after = { partition, offset: 1, reach: 'derived' } as const
  const isBehind = async () =>
    await assert.rejects(ids(place, { after, maxWaitMs: 60 }), (error) => isLoomlogError(error, 'views-behind'))
  for (const [stage, topic] of stages) {
    await isBehind()
    const key = home
    const end = (await place.log.endOffsets(topic))[partition] ?? 0
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const member = await place.log.join({
      group: `${stage}.`,
      topic,
      async onLease(lease) {
        if (lease.partition !== partition) return
        const writes = { 'topic-loom': 'topic-shifts', 'fact-extractor': 'facts' }[stage as string]
        const record = { key, value: Buffer.from('made'), timestamp: 0 }
        const outputs = writes === undefined ? [] : [{ topic: writes, record }]
        await lease.commit({ outputs, state: [], position: end })
        resolve()
      },
      onError: (error) => t.diagnostic(String(error)),
    })
    await done
    await member.close()
  }
  await isBehind()
  await place.write('boxes', [await row(home, 'b1', 'box of a boat')], 1)
  await isBehind()
  await place.write('facts', [await row(home, 'f1', 'a boat')], 1)
  assert.deepEqual(await ids(place, { after }), ['b1', 'f1', 'u1'])
})

test('the view store accepts the condition of a filter with a hundred values', async (t) => {
  const place = await memory(t)
  await place.write('facts', [await row(home, 'f1', 'a boat', { speaker: 'name 99', conversation: 'name 99' })])
  const names = Array.from({ length: 100 }, (_, n) => `name ${n}`)
  const filter = { speakers: names, conversations: names }
  assert.deepEqual(await ids(place, { kinds: ['fact'], filter }), ['f1'])
})
