/** The rows of a model's answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRows, rowPattern } from './answer-rows.ts'

const factsIn = (...rows: readonly string[]) =>
  readRows(rows).facts.map(({ subject, rest, kind }) => `${kind}: ${subject} | ${rest}`)

test('a row is a topic with the line that begins it, or a fact with its labels, kind, time, subject and rest', () => {
  const rows = ['[2] Ann’s sailing trip.', '3,12 event! 2026-03 Ann Miller | sailed to Porto with Tom.']
  const { topics, facts } = readRows(rows)
  assert.deepEqual(topics, [{ label: '2', topic: 'Ann’s sailing trip' }])
  const [fact] = facts
  assert.deepEqual([fact?.labels, fact?.kind, fact?.isChange], [['3', '12'], 'event', true])
  assert.deepEqual([fact?.subject, fact?.rest, fact?.time?.form], ['Ann Miller', 'sailed to Porto with Tom', 'at'])
})

test('the first bar separates subject and rest, and other bars belong to the words', () => {
  assert.deepEqual(factsIn('1 state - Ann | wrote "A | B || C" on the board'), [
    'state: Ann | wrote "A | B || C" on the board',
  ])
  assert.deepEqual(factsIn('1 state - Ann|owns a boat'), ['state: Ann | owns a boat'])
})

test('the kinds of a row are those of facts, and another word is a state', () => {
  const kinds = ['event', 'plan', 'like', 'wish', 'state', 'boast'].map((kind) => `1 ${kind} - Ann | sails`)
  assert.deepEqual(
    readRows(kinds).facts.map(({ kind, isWish }) => [kind, isWish]),
    [
      ['event', false],
      ['plan', false],
      ['preference', false],
      ['preference', true],
      ['state', false],
      ['state', false],
    ],
  )
})

test('only the rows of another form are left out', () => {
  const bad = [
    'Ann sails.',
    '1 state - Ann sails',
    'state - Ann | sails',
    '1 state - | sails',
    '1 state - Ann |',
    '',
    '[1]',
  ]
  assert.deepEqual(factsIn(...bad, '1 state soon Ann | sails', '2 state - Ben | sails'), [
    'state: Ann | sails',
    'state: Ben | sails',
  ])
  assert.deepEqual(readRows(bad).topics, [])
})

test('a row is read on one line, and cut where it is overlong', () => {
  assert.deepEqual(factsIn('1 state - Ann |\n sails\ttoday'), ['state: Ann | sails today'])
  assert.ok((readRows([`1 state - Ann | ${'sails '.repeat(1_000)}`]).facts[0]?.rest.length ?? 0) <= 800)
})

test('the pattern holds for topics and facts, and for nothing else', () => {
  const fits = (given: string) => new RegExp(rowPattern, 'u').test(given)
  assert.ok(fits('[1] Ann’s boat') && fits('1 state - Ann | is here') && fits('1, 2-4 state! ..2026 Ann|owns "A | B"'))
  assert.ok(fits('1 event 2026-03-06T14:30+02:00 Ann | sailed') && fits('1 plan 2026-03..2026-04 Ann | sails'))
  assert.ok(!fits('Ann sails.') && !fits('1 state - Ann is here') && !fits('u1 state - Ann | is here'))
  assert.ok(!fits('1 | state | - | Ann | is here') && !fits('1 state soon Ann | is here') && !fits('1 state - Ann |'))
})

test('the pattern has the syntax that llama.cpp turns into a grammar', () => {
  assert.match(rowPattern, /^\^.*\$$/)
  assert.doesNotMatch(rowPattern, /\\[a-z]/)
})
