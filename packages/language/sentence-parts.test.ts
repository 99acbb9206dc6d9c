/** The parts of a finished sentence whose subject is known. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { functionalRelation } from './relations.ts'
import { sentenceParts } from './sentence-parts.ts'

const parts = (subject: string, rest: string) => sentenceParts(subject, rest, ['Ann', 'Tom'])

test('the relation is the verb phrase with the words before it, and the object what follows', () => {
  const cut = (subject: string, rest: string) => [parts(subject, rest).relation, parts(subject, rest).object]
  assert.deepEqual(cut('Ann', 'lives in Porto, no longer in Leeds'), ['lives in', 'Porto, no longer in Leeds'])
  assert.deepEqual(cut('Ann', 'no longer works at Acme'), ['no longer works at', 'Acme'])
  assert.deepEqual(cut('Ann’s sister', 'bought a kayak'), ['bought', 'a kayak'])
  assert.deepEqual(cut('The pale', 'costs £116'), ['costs', '£116'])
  assert.deepEqual(cut('安娜', '住在杭州'), ['', '住在杭州'])
})

test('slots of one value are found in these parts', () => {
  const slot = (subject: string, rest: string) =>
    functionalRelation({ ...parts(subject, rest), subject, kind: 'state', tense: 'present' })?.slot ?? null
  assert.equal(slot('Ann', 'lives in Porto'), 'ann|lives in')
  assert.equal(slot('Ann', 'works at Acme'), 'ann|works at')
  assert.equal(slot('Ann', 'works as a nurse'), 'ann|works as')
  assert.equal(slot('Ann', 'is 34 years old'), 'ann|is aged')
  assert.equal(slot('The workshop', 'takes place on 16 April 2026'), 'the workshop|is on')
  assert.equal(slot('Ann', 'no longer works at Acme'), null)
})

test('a place is one behind in, at or near, or behind to if something moves there', () => {
  assert.equal(parts('Ann', 'lives in Porto').location, 'Porto')
  assert.equal(parts('Ann', 'sailed to Porto with Tom').location, 'Porto')
  assert.equal(parts('Ann', 'has changed to Menzis').location, null)
  assert.equal(parts('Ann', 'is married to Tom').location, null)
})

test('persons are known speakers, first names, names with a title and tellers, and weekdays are no names', () => {
  const { persons, entities } = parts('Ann', 'meets Tom, Oscar and Dr Quill at Acme on Fridays, says Gullwing')
  assert.deepEqual(persons, ['Ann', 'Tom', 'Oscar', 'Dr Quill', 'Gullwing'])
  assert.deepEqual(entities, ['Acme'])
})
