import assert from 'node:assert/strict'
import { it } from 'node:test'
import { functionalRelation } from './relations.ts'
import { restate } from './restate.ts'

function slot(text: string): string | null {
  const context = { addressee: null, previous: [], participants: ['Ann'] }
  const statement = restate({ speaker: 'Ann', text, at: 0 }, context).at(-1)
  assert.ok(statement, `no statement from: ${text}`)
  return functionalRelation(statement)?.slot ?? null
}

it('statements that replace each other share a slot', () => {
  assert.equal(slot('I live in Oslo.'), 'ann|lives in')
  assert.equal(slot('I moved to Bergen.'), 'ann|lives in')
  assert.equal(slot('I became a nurse in 1969.'), 'ann|works as')
  assert.equal(slot('My favourite colour is green.'), slot('My favorite colour is red.'))
  assert.equal(slot('I am 34 years old.'), 'ann|is aged')
  assert.equal(slot('My sister Emma lives in Rome.'), slot('Emma moved to Paris.'))
})

it('an arrangement has one date, and holds from the utterance on', () => {
  assert.equal(slot('The workshop is on the 14th of April.'), 'the workshop|is on')
  assert.equal(slot('The workshop is on Friday in the Oslo office.'), 'the workshop|is on')
  const arranged = { subject: 'The talk', relation: 'takes place on', object: '7 May 2026', tense: 'future' } as const
  assert.deepEqual(functionalRelation({ ...arranged, kind: 'plan' }), {
    slot: 'the talk|is on',
    holdsFrom: 'its utterance',
  })
})

it('relations with several objects, plans and changes have no slot', () => {
  for (const text of ['I joined a gym.', 'I love jazz music.', 'I visited Oslo.', 'I play chess in winter.'])
    assert.equal(slot(text), null)
  const wants = { subject: 'Ann', relation: 'lives in', object: 'Oslo', tense: 'future', kind: 'plan' } as const
  assert.equal(functionalRelation(wants), null)
  const moved = { subject: 'Ann', relation: 'moved to', object: 'Bergen', tense: 'past', kind: 'event' } as const
  assert.equal(functionalRelation(moved), null)
})
