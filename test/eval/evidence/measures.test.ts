import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from './bootstrap.ts'
import { measuresOf, packWhole, scoresOf } from './measures.ts'

const item = (tokens: number, ...turns: string[]) => ({ turns, tokens })

test('an item counts as one at k, and for every gold turn that it cites', () => {
  const ranked = [item(10, 'a'), item(10, 'x', 'b'), item(10, 'c')]
  const { recallAtK } = scoresOf(['b', 'c', 'd', 'e'], { ranked })
  assert.deepEqual(recallAtK, { 1: 0, 5: 0.5, 10: 0.5, 25: 0.5 })
})

test('within a budget items are taken best first, and an item that does not fit is skipped', () => {
  const ranked = [item(200, 'a'), item(100, 'b'), item(50, 'c'), item(200, 'd')]
  const { recallAtBudget } = scoresOf(['a', 'b', 'c', 'd'], { ranked })
  assert.deepEqual(recallAtBudget, { 250: 0.5, 500: 0.75, 1000: 1, 2000: 1, 4000: 1 })
})

test('within a budget that a method packed for, its packed items count; within others, its ranking', () => {
  const packed = new Map([[250, [item(250, 'a', 'b')]]])
  const { recallAtBudget } = scoresOf(['a', 'b'], { ranked: [item(500, 'a')], packed })
  assert.deepEqual([recallAtBudget['250'], recallAtBudget['500']], [1, 0.5])
})

test('packed whole, an item costs the whole text of its turns, however little of it the method shows', () => {
  const turns = ['a', 'b', 'c'].map((id) => item(200, id))
  const shortened = [item(5, 'a'), item(5, 'b', 'c')]
  const output = { ranked: shortened, packed: new Map([[250, shortened]]) }
  assert.equal(scoresOf(['a', 'b', 'c'], output).recallAtBudget['250'], 1)
  const { recallAtBudget } = scoresOf(['a', 'b', 'c'], packWhole(output, turns))
  assert.deepEqual(recallAtBudget, { 250: 1 / 3, 500: 1 / 3, 1000: 1, 2000: 1, 4000: 1 })
  assert.throws(() => packWhole({ ranked: [item(5, 'x')] }, turns), /x is cited/)
})

test('nDCG is one for evidence at the top, and a turn gains only at its first rank', () => {
  assert.equal(scoresOf(['a', 'b'], { ranked: [item(1, 'a'), item(1, 'b')] }).ndcgAt10, 1)
  const again = scoresOf(['a', 'b'], { ranked: [item(1, 'a'), item(1, 'a'), item(1, 'b')] }).ndcgAt10
  assert.ok(again < 1 && again > 0.9, String(again))
})

test('category 5 counts by itself and not in 1-4', () => {
  const scored = (category: string, turn: string) => ({
    sample: 's',
    category,
    scores: scoresOf(['a'], { ranked: [item(1, turn)] }),
  })
  const { recallAtK } = measuresOf([scored('1', 'a'), scored('4', 'x'), scored('5', 'a')], ['1', '2', '5', '1-4'])
  assert.deepEqual([recallAtK['1-4']?.['1'], recallAtK['5']?.['1'], recallAtK['2']?.['1']], [0.5, 1, 0])
})

test('the interval of the bootstrap has the mean inside, and no width if all values are equal', () => {
  const { mean, from, to } = bootstrap([
    [0, 1, 1],
    [1, 1, 0],
  ])
  assert.ok(from <= mean && mean <= to && from < to)
  assert.deepEqual(bootstrap([[1, 1], [1]]), { mean: 1, from: 1, to: 1 })
})
