import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  EventRetracted,
  EvidenceRetracted,
  FactRetracted,
  LinesRetracted,
  LoomEvent,
  MemoryCorrected,
} from '@loomlog/schemas/events'
import { box, documentDescribed, entry, fact, link } from './fixture.ts'
import { fold } from './fold.ts'
import { project } from './project.ts'
import type { Row } from './row.ts'
import type { RowOf, Table } from './table.ts'
import { boxes } from './tables/boxes.ts'
import { entries } from './tables/entries.ts'
import { facts } from './tables/facts.ts'
import { links } from './tables/links.ts'
import { tables } from './tables/tables.ts'
import { utterances } from './tables/utterances.ts'

const key = 'acme/home'
const { keyId: _, utterances: __, ...envelope } = { ...box, keyId: null }
const derived = { ...envelope, knownAt: 990 }
const who = { by: 'Ada', role: 'human', reason: null, at: 70, appendedAt: 980, keyId: null, principal: null } as const
const place = { tenant: 'acme', space: 'home', conversation: 'c', seq: null } as const

function everywhere(event: LoomEvent, offset: number, recordKey = key) {
  return project(event, { key: recordKey, offset }, tables)
}

/** The rows of a table after these events. */
function rows<T extends Table>(table: T, ...events: readonly LoomEvent[]): readonly RowOf<T>[] {
  const changes = events
    .flatMap((event, offset) => everywhere(event, offset))
    .filter((each) => each.table === (table as Table))
  const folded: Iterable<Row> = fold(
    table,
    changes.map(({ change }) => change),
    new Map(),
  ).values()
  return [...folded] as RowOf<T>[]
}

function lines(utterances: readonly string[], left: number): LinesRetracted {
  return { ...derived, type: 'LinesRetracted', id: 'l', box: 'box1', utterances, left }
}

test('a retracted fact gets a knownTo, and keeps its words', () => {
  const retracted: FactRetracted = {
    ...derived,
    type: 'FactRetracted',
    id: 'r',
    fact: 'fact1',
    correction: 'x',
    cause: 'corrected',
  }
  const [row] = rows(facts, fact(), retracted)
  assert.deepEqual([row?.text, row?.knownTo], ['Ada sails.', 990])
})

test('a retracted event retires its links', () => {
  const own = { event: 'event1', links: ['link1'], correction: 'x', cause: 'undone' } as const
  const retracted: EventRetracted = { ...derived, type: 'EventRetracted', id: 'r', ...own }
  assert.equal(rows(links, link, retracted)[0]?.knownTo, 990)
})

test('a box keeps its other lines, under the keywords that they hold; without lines it is retired', () => {
  const [row] = rows(boxes, box, lines(['u1'], 1))
  assert.equal(row?.text, '\n\nBen: Nice!')
  assert.deepEqual(
    [row?.speaker, row?.speakers, row?.sources, row?.topic, row?.knownTo],
    ['Ben', ['ben'], ['u2'], '', null],
  )
  const [other] = rows(boxes, box, lines(['u2'], 1))
  assert.equal(other?.text, 'boat, sail\nboat sail\nAda: I sail. [image: a boat]')
  assert.equal(rows(boxes, box, lines(['u1', 'u2'], 0))[0]?.knownTo, 990)
})

test('entries take over a new title of their document', () => {
  const [row] = rows(entries, entry(), { ...documentDescribed(), title: 'Sails', retitled: ['entry1'] })
  assert.equal(row?.text, 'Sails — Home: Ada sails.')
  assert.equal(row?.title, 'Sails')
})

test('a correction can be looked up by id and by the evidence of its target, and is never a current memory', () => {
  const words = { subject: 'Ada', relation: '', object: '' }
  const target = {
    ...words,
    memory: 'fact1',
    kind: 'fact',
    text: 'Ada sails.',
    saidAt: 50,
    sources: ['u1'],
    others: [],
  }
  const own = { id: 'x', ...place, action: 'replace', target, text: 'Ada rows.', kind: 'state', ...words } as const
  const corrected: MemoryCorrected = {
    type: 'MemoryCorrected',
    ...own,
    when: null,
    persons: [],
    keywords: [],
    from: null,
    ...who,
  }
  const [row] = rows(utterances, corrected)
  assert.deepEqual([row?.text, row?.knownTo], ['Ada: replace "Ada sails." → "Ada rows."', 980])
  assert.deepEqual(row?.sources, ['x', 'u1'])
  assert.deepEqual(everywhere(corrected, 0, 'acme/work'), [])
})

test('an undo retires utterances, unless it undoes the work of one derivation only', () => {
  const undo = (derivation: string | null): EvidenceRetracted => ({
    type: 'EvidenceRetracted',
    id: 'x',
    ...place,
    utterances: ['u1', 'u2'],
    derivation,
    ...who,
  })
  const patched = (event: LoomEvent) => everywhere(event, 3).filter(({ change }) => change.kind === 'patch')
  assert.deepEqual([patched(undo(null)).length, patched(undo('d1')).length], [2, 0])
})
