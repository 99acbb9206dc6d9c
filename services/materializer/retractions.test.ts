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
import { fold } from '@loomlog/views/change'
import type { Row } from '@loomlog/views/row'
import { box, described, entry, fact, happening, link } from './fixture.ts'
import { project } from './projections.ts'

const key = 'acme/home'
const { keyId: _, utterances: __, ...envelope } = { ...box, keyId: null }
const derived = { ...envelope, knownAt: 990 }
const who = { by: 'Ada', role: 'human', reason: null, at: 70, appendedAt: 980, keyId: null } as const
const place = { tenant: 'acme', space: 'home', conversation: 'c', seq: null } as const

/** The rows of a table after these events. */
function rows(table: string, ...events: readonly LoomEvent[]): readonly Row[] {
  const changes = events.flatMap((event, offset) => project(event, { key, offset }))
  return [
    ...fold(
      changes.filter((each) => each.table === table).map(({ change }) => change),
      new Map(),
    ).values(),
  ]
}

function lines(utterances: readonly string[], left: number): LinesRetracted {
  return { ...derived, type: 'LinesRetracted', id: 'l', box: 'box1', utterances, left }
}

test('a fact that is retracted is known no longer, and keeps its words', () => {
  const retracted: FactRetracted = {
    ...derived,
    type: 'FactRetracted',
    id: 'r',
    fact: 'fact1',
    correction: 'x',
    cause: 'corrected',
  }
  const [row] = rows('facts', fact(), retracted)
  assert.deepEqual([row?.text, row?.knownTo], ['Ada sails.', 990])
})

test('an event that is retracted takes its links along', () => {
  const own = { event: 'event1', links: ['link1'], correction: 'x', cause: 'undone' } as const
  const retracted: EventRetracted = { ...derived, type: 'EventRetracted', id: 'r', ...own }
  assert.equal(rows('events', happening, retracted)[0]?.knownTo, 990)
  assert.equal(rows('links', happening, link, retracted)[0]?.knownTo, 990)
})

test('a box shows what is left of it, under what that says; and is retired when nothing is', () => {
  const [row] = rows('boxes', box, lines(['u1'], 1))
  assert.equal(row?.text, '\n\nBen: Nice!')
  assert.deepEqual(
    [row?.speaker, row?.vector, JSON.parse(row?.payload ?? '').topic, row?.knownTo],
    ['Ben', null, '', null],
  )
  const [other] = rows('boxes', box, lines(['u2'], 1))
  assert.equal(other?.text, 'boat, sail\nboat sail\nAda: I sail. [image: a boat]')
  assert.equal(rows('boxes', box, lines(['u1', 'u2'], 0))[0]?.knownTo, 990)
})

test('entries bear the title that their document has now', () => {
  const [row] = rows('entries', entry(), { ...described(), title: 'Sails', retitled: ['entry1'] })
  assert.equal(row?.text, 'Sails — Home: Ada sails.')
  assert.equal(JSON.parse(row?.payload ?? '').title, 'Sails')
})

test('a correction can be looked up, and is never part of what holds', () => {
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
  const corrected: MemoryCorrected = { type: 'MemoryCorrected', ...own, when: null, persons: [], keywords: [], ...who }
  const [row] = rows('utterances', corrected)
  assert.deepEqual([row?.text, row?.knownTo], ['Ada: replace "Ada sails." → "Ada rows."', 980])
  assert.deepEqual(project(corrected, { key: 'acme/work', offset: 0 }), [])
})

test('undoing retires utterances, unless it is one derivation’s work that is undone', () => {
  const undo = (derivation: string | null): EvidenceRetracted => ({
    ...{ type: 'EvidenceRetracted', id: 'x', ...place, utterances: ['u1', 'u2'], derivation, ...who },
  })
  const patched = (event: LoomEvent) =>
    project(event, { key, offset: 3 }).filter(({ change }) => change.kind === 'patch')
  assert.deepEqual([patched(undo(null)).length, patched(undo('d1')).length], [2, 0])
})
