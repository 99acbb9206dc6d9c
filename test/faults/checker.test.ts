import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Attempt,
  check,
  type DerivedUtterance,
  type Evidence,
  type Outcome,
  type StoredRecord,
} from './checker.ts'

const space = 'acme/home'
const ids = ['a', 'b', 'c', 'd']

function attempt(id: string, outcome: Outcome = 'acknowledged', offset = ids.indexOf(id)): Attempt {
  return { writer: 'w', space, id, outcome, place: outcome === 'acknowledged' ? { partition: 0, offset } : null }
}

function storedRecord(id: string, offset = ids.indexOf(id)): StoredRecord {
  return { space, id, partition: 0, offset }
}

function derivedUtterance(id: string, seq = ids.indexOf(id)): DerivedUtterance {
  return { space, id, seq }
}

/** Evidence of four successful appends, with some parts replaced. */
function history(changed: Partial<Evidence> = {}): Evidence {
  return {
    attempts: ids.map((id) => attempt(id)),
    stored: ids.map((id) => storedRecord(id)),
    derived: ids.map((id) => derivedUtterance(id)),
    ...changed,
  }
}

function found(changed: Partial<Evidence>): readonly string[] {
  return [...new Set(check(history(changed)).map(({ kind }) => kind))]
}

test('successful appends have no findings', () => {
  assert.deepEqual(check(history()), [])
})

test('an acknowledged append that is not in the log is lost', () => {
  const kept = ['a', 'b', 'd']
  const gone = { stored: kept.map((id) => storedRecord(id)), derived: kept.map((id) => derivedUtterance(id)) }
  const findings = check(history(gone))
  assert.deepEqual(findings[0], { kind: 'lost', detail: 'acme/home/c is acknowledged, but not in the log' })
  assert.ok(
    findings.some(({ kind }) => kind === 'misplaced'),
    'and its place holds something else',
  )
})

test('an acknowledged append that is in the log and was not derived is lost', () => {
  assert.deepEqual(found({ derived: ['a', 'b', 'd'].map((id) => derivedUtterance(id)) }), ['lost'])
})

test('more records than attempts are doubled', () => {
  assert.deepEqual(found({ stored: [...ids.map((id) => storedRecord(id)), storedRecord('c', 4)] }), ['doubled'])
})

test('an utterance that is derived twice, or shares its seq with another, is doubled', () => {
  assert.ok(
    found({ derived: [...ids.map((id) => derivedUtterance(id)), derivedUtterance('b', 4)] }).includes('doubled'),
  )
  assert.ok(
    found({ derived: ids.map((id) => derivedUtterance(id, id === 'd' ? 2 : ids.indexOf(id))) }).includes('doubled'),
  )
})

test('two acknowledged appends of a writer in reverse order are swapped', () => {
  const order = ['a', 'c', 'b', 'd']
  const changed = {
    attempts: ids.map((id) => attempt(id, 'acknowledged', order.indexOf(id))),
    stored: order.map((id, offset) => storedRecord(id, offset)),
    derived: order.map((id, seq) => derivedUtterance(id, seq)),
  }
  assert.deepEqual(check(history(changed)), [
    { kind: 'swapped', detail: 'w in acme/home: c was appended after b, but comes before it' },
  ])
})

test('a space that is derived in another order than the log’s is swapped', () => {
  assert.deepEqual(found({ derived: ['b', 'a', 'c', 'd'].map((id, seq) => derivedUtterance(id, seq)) }), ['swapped'])
})

test('a failed append in the log, and a record without an append, are findings', () => {
  assert.deepEqual(found({ attempts: ids.map((id) => attempt(id, id === 'b' ? 'failed' : 'acknowledged')) }), [
    'refused-but-stored',
  ])
  assert.deepEqual(found({ attempts: ['a', 'b', 'c'].map((id) => attempt(id)) }), ['invented'])
})

test('an append with an unknown outcome may have one record for each attempt, or none; its first record gives its position', () => {
  const tries = [
    attempt('a'),
    attempt('b', 'unknown'),
    attempt('b', 'acknowledged', 2),
    attempt('c', 'acknowledged', 3),
  ]
  const records = [storedRecord('a', 0), storedRecord('b', 1), storedRecord('b', 2), storedRecord('c', 3)]
  const utterances = ['a', 'b', 'c'].map((id) => derivedUtterance(id))
  assert.deepEqual(check({ attempts: tries, stored: records, derived: utterances }), [])
  const never = [attempt('a'), attempt('d', 'unknown', 1)]
  assert.deepEqual(check({ attempts: never, stored: [storedRecord('a')], derived: [derivedUtterance('a')] }), [])
})

test('order is checked for each writer and for each space by itself', () => {
  const other = { ...attempt('d', 'acknowledged', 0), writer: 'v' }
  const attempts = [attempt('a', 'acknowledged', 1), attempt('b', 'acknowledged', 2), other]
  const records = [storedRecord('d', 0), storedRecord('a', 1), storedRecord('b', 2)]
  const utterances = ['d', 'a', 'b'].map((id, seq) => derivedUtterance(id, seq))
  assert.deepEqual(check({ attempts, stored: records, derived: utterances }), [])
})
