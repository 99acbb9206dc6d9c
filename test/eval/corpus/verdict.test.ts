import assert from 'node:assert/strict'
import test from 'node:test'
import { judge } from './verdict.ts'

const marks = (facts: readonly string[], traps: readonly string[] = []) => [{ facts, traps }]

test('a fact that says the same as a marked one is right, also in another tense', () => {
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

test('a fact with a number that is in no mark is left to a person', () => {
  assert.equal(judge('The pilot starts on 28 May 2026', marks(['the pilot starts on 28 April 2027'])), 'unjudged')
})

test('a fact with words that are in no mark is left to a person', () => {
  const cited = marks(['Marcus joins the Platform team in May 2026'])
  assert.equal(judge('Marcus joins the Platform team in May 2026 the rest of Priya stay', cited), 'unjudged')
})

test('a fact with names in another order is left to a person', () => {
  const cited = marks(['Sofia moved from Linz to Graz'])
  assert.equal(judge('Sofia moved from Linz to Graz in spring', cited), 'right')
  assert.equal(judge('Sofia moved from Graz to Linz', cited), 'unjudged')
  assert.equal(judge('The price went from 30 to 20', marks(['the price went from 20 to 30'])), 'unjudged')
})

test('a fact with a name that is not in the marked fact that it says is left to a person', () => {
  const berlin = 'Marcus joins the Platform team in Berlin'
  assert.equal(judge(berlin, marks(['Marcus joins the Platform team in May 2026'])), 'unjudged')
  const cited = marks(['Sofia moved to Linz', 'Tom lives in Graz'])
  assert.equal(judge('Sofia moved to Graz', cited), 'unjudged')
  assert.equal(judge('Sofia moved to Linz and Tom lives in Graz', cited), 'right')
})

test('a fact of a message without marks is useless', () => {
  assert.equal(judge('Igor said hello', marks([])), 'useless')
})
