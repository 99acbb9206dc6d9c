import assert from 'node:assert/strict'
import { test } from 'node:test'
import { profileHeading } from './profile-headings.ts'

test('a state that no list of words knows gets its heading from its verb', () => {
  const headings = (relations: readonly string[]) =>
    relations.map((relation) => profileHeading({ kind: 'state', relation, object: 'the blue one' }))
  assert.deepEqual(headings(['has', 'still has got', 'had']), ['Has', 'Has', 'Has'])
  assert.deepEqual(headings(['takes', 'never goes to', "doesn't see"]), ['Does', 'Does', 'Does'])
  const state = 'How things are'
  assert.deepEqual(headings(['is', 'was in', 'are', 'est', 'es', '']), Array(6).fill(state))
})
