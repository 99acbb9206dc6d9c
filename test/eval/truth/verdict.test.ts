import assert from 'node:assert/strict'
import test from 'node:test'
import { judge } from './verdict.ts'

const marks = (facts: readonly string[], traps: readonly string[] = []) => [{ facts, traps, changes: [] }]

test('a fact that says the same as a marked one is right, in other tenses too', () => {
  assert.equal(judge('Sofia moved to Linz on 3 April 2026', marks(['Sofia moved to Linz on 3 April 2026'])), 'right')
  assert.equal(judge('Marcus joins the Platform team', marks(['Marcus joined the Platform team'])), 'right')
})

test('a fact that repeats a trap is wrong', () => {
  const cited = marks(['Tom left the team of Hannah in 2025'], ['Tom left Hannah'])
  assert.equal(judge('Tom left Hannah', cited), 'wrong')
})

test('a fact that drops the negation of a marked one is wrong', () => {
  assert.equal(judge('Sofia will be at the review', marks(['Sofia will not be at the review'])), 'wrong')
})

test('a fact with a number that no mark holds is left to a person', () => {
  assert.equal(judge('The pilot starts on 28 May 2026', marks(['the pilot starts on 28 April 2027'])), 'unjudged')
})

test('a fact with words that no mark holds is left to a person', () => {
  const cited = marks(['Marcus joins the Platform team in May 2026'])
  assert.equal(judge('Marcus joins the Platform team in May 2026 the rest of Priya stay', cited), 'unjudged')
})

test('a fact of a message without marks is useless', () => {
  assert.equal(judge('Igor said hello', marks([])), 'useless')
})
