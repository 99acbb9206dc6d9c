/** The answers of a model: valid ones, missing ones and invalid ones. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, fact, library } from './fixture.ts'

const works = () => fact({ subject: 'Maya', relation: 'works', object: 'as a nurse at Acme', saidAt: at('2022-01-01') })
const quit = () => fact({ subject: 'Maya', relation: 'left', object: 'Acme for good', saidAt: at('2023-01-01') })

test('a model may replace an entry that shares no slot with the fact', async () => {
  const { give, current, endOf, retired } = library({
    answers: { 'reconcile-entry': () => ({ same: [], replaces: ['e1'] }) },
  })
  const [before, after] = [works(), quit()]
  await give(before, after)
  assert.deepEqual(
    current('topic').map((entry) => entry.text),
    [after.text],
  )
  assert.deepEqual(
    current('profile').map((entry) => entry.text),
    [after.text],
  )
  assert.equal(endOf(before.text)?.validTo, after.saidAt)
  assert.deepEqual(retired()[0]?.lineage, {
    derivation: 'test',
    method: 'scripted',
    causes: [after.id, before.id],
    completions: ['scripted'],
  })
})

test('event time decides which of two entries is outdated, with any answer of a model', async () => {
  const { give, current, endOf } = library({ answers: { 'reconcile-entry': () => ({ same: [], replaces: ['e1'] }) } })
  const [before, after] = [works(), quit()]
  await give(after, before)
  assert.deepEqual(
    current('topic').map((entry) => entry.text),
    [after.text],
  )
  assert.equal(endOf(before.text)?.validTo, after.saidAt)
})

test('a model may recognise a repetition in other words', async () => {
  const { give, current } = library({ answers: { 'reconcile-entry': () => ({ same: ['e1'], replaces: ['e1'] }) } })
  const [before, after] = [works(), fact({ subject: 'Maya', relation: 'is', object: 'a nurse; Acme employs Maya' })]
  await give(before, after)
  assert.deepEqual(
    current('topic').map((entry) => [entry.text, entry.facts]),
    [[after.text, [before.id, after.id]]],
  )
})

test('a model may let two values of a slot hold together', async () => {
  const { give, current } = library({ answers: { 'reconcile-entry': () => ({ same: [], replaces: [] }) } })
  await give(
    fact({ subject: 'Maya', relation: 'lives in', object: 'Lisbon' }),
    fact({ subject: 'Maya', relation: 'lives in', object: 'Porto' }),
  )
  assert.equal(current('topic').length, 2)
})

test('an agent’s fact ends no person’s entry, with any answer of a model', async () => {
  for (const verdict of [
    { same: [], replaces: ['e1'] },
    { same: ['e1'], replaces: [] },
  ]) {
    const { give, current } = library({ answers: { 'reconcile-entry': () => verdict } })
    const said = works()
    await give(
      said,
      fact({
        subject: 'Maya',
        relation: 'left',
        object: 'Acme',
        speaker: 'Assistant',
        role: 'agent',
        persons: ['Maya'],
      }),
    )
    assert.ok(current('topic').some((entry) => entry.text === said.text && entry.role === 'human'))
    assert.deepEqual(
      current('profile').map((entry) => entry.text),
      [said.text],
    )
  }
})

test('a model places a fact, and names document and heading', async () => {
  const { give, written, asked } = library({
    parameters: { placeScore: 99 },
    answers: { 'place-fact': () => ({ document: 'd1', title: '', heading: 'Equipment' }) },
  })
  const box = 'one'
  await give(fact({ subject: 'Maya', relation: 'sings', object: 'in a choir', box }))
  await give(fact({ subject: 'Ben', relation: 'bought', object: 'a microphone', kind: 'event', box }))
  const [first, , second] = written()
  assert.equal(second?.document, first?.document)
  assert.deepEqual(
    [second?.heading, second?.lineage.method, second?.lineage.completions],
    ['Equipment', 'scripted', ['scripted']],
  )
  const places = asked.filter(({ task }) => task === 'place-fact')
  assert.equal(places.length, 1)
  assert.doesNotMatch(JSON.stringify(asked), /fact-\d|"[0-9a-f]{32}"/)
})

test('a model opens a new document under its own title', async () => {
  const { give, described } = library({
    answers: {
      'place-fact': () => ({ document: 'new', title: 'Singing', heading: '' }),
      'describe-document': () => ({ title: 'Maya’s choir', summary: 'choir; Maya sings.' }),
    },
  })
  const box = 'one'
  await give(
    fact({ subject: 'Maya', relation: 'owns', object: 'a guitar', box }),
    fact({ subject: 'Maya', relation: 'sings', object: 'alto', box }),
  )
  const topics = described().filter((event) => event.kind === 'topic')
  assert.equal(new Set(topics.map((event) => event.document)).size, 2)
  assert.deepEqual(topics.map(({ title, summary }) => [title, summary])[1], ['Maya’s choir', 'choir; Maya sings.'])
})

test('without answers a fact is placed, merged and superseded by rules, and its method is rules', async () => {
  const none = () => ({ none: 'the answer did not fit the schema' })
  const { give, current, endOf, described, written } = library({
    answers: { 'place-fact': none, 'reconcile-entry': none, 'describe-document': none },
  })
  const lives = (object: string, saidAt: number) => fact({ subject: 'Maya', relation: 'lives in', object, saidAt })
  await give(lives('Lisbon', at('2021-01-01')), lives('Lisbon', at('2021-02-01')), lives('Porto', at('2022-01-01')))
  await give(fact({ subject: 'Maya', relation: 'owns', object: 'a guitar' }))
  assert.equal(endOf('Maya lives in Lisbon.')?.reason, 'superseded')
  assert.deepEqual(
    current('topic').map((entry) => entry.text),
    ['Maya lives in Porto.', 'Maya owns a guitar.'],
  )
  assert.ok(written().every((entry) => entry.lineage.method === 'rules'))
  assert.ok(
    described().every((event) => event.lineage.method === 'rules' && event.summary !== '' && event.title !== ''),
  )
})

test('an unknown label is no answer', async () => {
  const { give, current, written } = library({
    answers: {
      'place-fact': () => ({ document: 'd6', title: '', heading: '' }),
      'reconcile-entry': () => ({ same: ['e6'], replaces: ['e5'] }),
    },
  })
  const box = 'one'
  await give(
    fact({ subject: 'Maya', relation: 'owns', object: 'a guitar', box }),
    fact({ subject: 'Maya', relation: 'sold', object: 'a guitar', box }),
  )
  assert.equal(current('topic').length, 2)
  assert.ok(written().every((entry) => entry.lineage.method === 'rules' || entry.kind === 'profile'))
})
