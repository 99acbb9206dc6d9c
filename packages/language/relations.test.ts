import assert from 'node:assert/strict'
import { it } from 'node:test'
import { functionalRelation } from './relations.ts'
import { restate } from './restate.ts'

function slot(text: string): string | null {
  const statement = restate(
    { speaker: 'Ann', text, at: 0 },
    { addressee: null, previous: [], participants: ['Ann'] },
  ).at(-1)
  assert.ok(statement, `no statement from: ${text}`)
  return functionalRelation(statement)?.slot ?? null
}

it('statements that replace each other share a slot', () => {
  assert.equal(slot('I live in Oslo.'), 'ann|lives in')
  assert.equal(slot('I moved to Bergen.'), 'ann|lives in')
  assert.equal(slot('My favourite colour is green.'), slot('My favorite colour is red.'))
  assert.equal(slot('I am 34 years old.'), 'ann|is aged')
})

it('what one may have many of has no slot', () => {
  for (const text of ['I joined a gym.', 'I love jazz music.', 'I visited Oslo.', 'I play chess in winter.'])
    assert.equal(slot(text), null)
})
