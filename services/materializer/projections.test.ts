import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoomEvent } from '@loomlog/schemas/events'
import { box, described, entry, fact, happening, link, retired, utterance } from './fixture.ts'
import { project } from './projections.ts'

const key = 'acme/home'

function projected(event: LoomEvent) {
  const [only, ...more] = project(event, { key, offset: 7 })
  assert.deepEqual(more, [])
  assert.ok(only && 'row' in only.change)
  const { row } = only.change
  assert.deepEqual([row.space, row.offset, row.deleted, row.vector], [key, 7, false, null])
  return { ...only, row, payload: JSON.parse(row.payload) }
}

test('an utterance is a row of what was said and shown; the first one of an id stays', () => {
  const { table, change, embed, row, payload } = projected(utterance())
  assert.deepEqual(
    [table, change.kind, row.id, row.text],
    ['utterances', 'putIfAbsent', 'u1', 'Ada: I sail. [image: a boat]'],
  )
  assert.deepEqual([row.at, row.knownFrom, row.validFrom, row.knownTo], [50, 800, null, null])
  assert.deepEqual(embed, ['I sail. [image: a boat]'])
  assert.deepEqual([payload.role, payload.metadata], ['human', { from: 'chat' }])
})

test('an utterance under a foreign key is no row at all', () => {
  assert.deepEqual(project(utterance(), { key: 'acme/work', offset: 0 }), [])
  assert.deepEqual(project(utterance(), { key: null, offset: 0 }), [])
  assert.deepEqual(project({ ...utterance(), space: 'home/x' }, { key: 'acme/home/x', offset: 0 }), [])
})

test('a box is found by its topic, keywords and lines, and embedded utterance by utterance', () => {
  const { table, row, embed, payload } = projected(box)
  assert.deepEqual([table, row.speaker, row.at], ['boxes', 'Ada, Ben', 50])
  assert.equal(row.text, 'sailing\nboat sail\nAda: I sail. [image: a boat]\nBen: Nice!')
  assert.equal(embed.length, 2)
  assert.deepEqual(
    payload.utterances.map((said: { id: string }) => said.id),
    ['u1', 'u2'],
  )
  assert.deepEqual([row.seq, row.ordinal, row.knownFrom], [3, 1, 900])
})

test('a state holds from when it was said until something retires it; an event is over when it is over', () => {
  const when = { from: 100, to: 200, text: 'March' }
  const valid = (of: ReturnType<typeof projected>) => [of.row.validFrom, of.row.validTo]
  assert.deepEqual(valid(projected(fact())), [50, null])
  assert.deepEqual(valid(projected(fact('f', { when }))), [100, null])
  assert.deepEqual(valid(projected(fact('f', { when, kind: 'event' }))), [100, 200])
  assert.deepEqual(valid(projected(happening)), [100, 200])
  assert.deepEqual([projected(fact()).table, projected(happening).table], ['facts', 'events'])
  assert.deepEqual(projected(fact()).payload.sources, ['u1'])
})

test('links, entries and documents carry what recall shows of them, and their lineage', () => {
  assert.deepEqual([projected(link).table, projected(link).payload.trace], ['links', 't'])
  const written = projected(entry())
  assert.deepEqual([written.table, written.row.text], ['entries', 'Boats — Home: Ada sails.'])
  assert.deepEqual([written.row.validFrom, written.payload.facts], [50, ['fact1']])
  const document = projected(described())
  assert.deepEqual([document.table, document.row.id, document.change.kind], ['documents', 'doc1', 'put'])
  for (const { payload } of [projected(link), written, document]) assert.equal(payload.lineage.derivation, 'd1')
})

test('retiring an entry ends its truth and the knowledge of it, says what took its place, and leaves the rest as it was', () => {
  const [only] = project(retired(), { key, offset: 7 })
  const fields = { validTo: 150, knownTo: 950 }
  const payload = { replacedBy: retired().by }
  assert.deepEqual(only?.change, { kind: 'patch', space: key, id: 'entry1', fields, payload, offset: 7 })
  assert.equal(only?.table, 'entries')
})

test('what no view shows is passed', () => {
  assert.deepEqual(project({ type: 'WatermarkAdvanced', derivation: 'd1', offset: 1 }, { key: null, offset: 0 }), [])
})
