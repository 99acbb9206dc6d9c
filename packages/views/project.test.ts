import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoomEvent } from '@loomlog/schemas/events'
import { tablesOf } from './catalogue.ts'
import { box, documentDescribed, entry, entryRetired, fact, link, utterance } from './fixture.ts'
import { project } from './project.ts'
import type { StoredRow } from './row.ts'
import type { RecordPosition } from './table.ts'
import { tables } from './tables/tables.ts'

const key = 'acme/home'

/** The event's changes to the tables of every topic. */
function everywhere(event: LoomEvent, record: RecordPosition) {
  return project(event, record, tables)
}

/** The one row that an event puts, with the table's own columns beside the shared ones. */
function projected(event: LoomEvent) {
  const [only, ...more] = everywhere(event, { key, offset: 7 })
  assert.deepEqual(more, [])
  assert.ok(only && 'row' in only.change)
  const row = only.change.row as StoredRow & { readonly [column: string]: unknown }
  assert.deepEqual([row.space, row.offset, row.deleted, row.vector], [key, 7, false, null])
  return { ...only, table: only.table.name, row }
}

test('an utterance is a row with its words and attachments; the first one of an id stays', () => {
  const { table, change, embed, row } = projected(utterance())
  assert.deepEqual(
    [table, change.kind, row.id, row.text],
    ['utterances', 'putIfAbsent', 'u1', 'Ada: I sail. [image: a boat]'],
  )
  assert.deepEqual([row.at, row.knownFrom, row.validFrom, row.knownTo], [50, 800, null, null])
  assert.deepEqual(embed, ['I sail. [image: a boat]'])
  assert.deepEqual([row.role, row.labels, row.sources], ['human', ['["from","chat"]'], ['u1']])
})

test('an utterance under a foreign key is no row at all', () => {
  assert.deepEqual(everywhere(utterance(), { key: 'acme/work', offset: 0 }), [])
  assert.deepEqual(everywhere(utterance(), { key: null, offset: 0 }), [])
  assert.deepEqual(everywhere({ ...utterance(), space: 'home/x' }, { key: 'acme/home/x', offset: 0 }), [])
})

test('a box is found by its topic, keywords and lines, and embedded utterance by utterance', () => {
  const { table, row, embed } = projected(box)
  assert.deepEqual([table, row.speaker, row.at], ['boxes', 'Ada, Ben', 50])
  assert.equal(row.text, 'sailing\nboat sail\nAda: I sail. [image: a boat]\nBen: Nice!')
  assert.equal(embed.length, 2)
  assert.deepEqual(
    [row.sources, row.speakers],
    [
      ['u1', 'u2'],
      ['ada', 'ben'],
    ],
  )
  assert.deepEqual([row.seq, row.ordinal, row.knownFrom], [3, 1, 900])
})

test('a state holds from its utterance on until it is retired; an event ends at its own end', () => {
  const when = { from: 100, to: 200, text: 'March' }
  const valid = (of: ReturnType<typeof projected>) => [of.row.validFrom, of.row.validTo]
  assert.deepEqual(valid(projected(fact())), [50, null])
  assert.deepEqual(valid(projected(fact('f', { when }))), [100, null])
  assert.deepEqual(valid(projected(fact('f', { when, kind: 'event' }))), [100, 200])
  assert.equal(projected(fact()).table, 'facts')
  assert.deepEqual(projected(fact()).row.sources, ['u1'])
})

test('links, entries and documents carry what recall shows of them, and their lineage', () => {
  assert.deepEqual([projected(link).table, projected(link).row.trace], ['links', 't'])
  const written = projected(entry())
  assert.deepEqual([written.table, written.row.text], ['entries', 'Boats — Home: Ada sails.'])
  assert.deepEqual([written.row.validFrom, written.row.facts], [50, ['fact1']])
  const document = projected(documentDescribed())
  assert.deepEqual([document.table, document.row.id, document.change.kind], ['documents', 'doc1', 'put'])
  for (const { row } of [projected(link), written, document]) assert.equal(row.lineage?.derivation, 'd1')
})

test('a retirement of an entry sets validTo, knownTo and the replacement, and changes nothing else', () => {
  const [only] = everywhere(entryRetired(), { key, offset: 7 })
  const fields = { validTo: 150, knownTo: 950, replacedBy: entryRetired().by }
  assert.deepEqual(only?.change, { kind: 'patch', space: key, id: 'entry1', fields, offset: 7 })
  assert.equal(only?.table.name, 'entries')
})

test('an event that changes no table is passed over, and so is a source event in a derived topic', () => {
  assert.deepEqual(everywhere({ type: 'WatermarkAdvanced', derivation: 'd1', offset: 1 }, { key: null, offset: 0 }), [])
  assert.deepEqual(project(utterance(), { key, offset: 0 }, tablesOf('topic-shifts')), [])
})
