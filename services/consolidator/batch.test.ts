/** The ends of a batch. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consolidatorHarness, fact, windowEnd } from './fixture.ts'

const guitar = (n: number) => fact({ subject: 'Maya', relation: 'repairs', object: `guitar ${n}` })
const guitars = (count: number) => Array.from({ length: count }, (_, n) => guitar(n))
const noContent = { minBatchFacts: 1_000 }

test('a fact waits for the end of its batch before it enters a document', async () => {
  const { deliver, written } = consolidatorHarness({ parameters: noContent })
  assert.deepEqual(await deliver(...guitars(3), windowEnd({ closedBy: 'utterances' })), [])
  await deliver(windowEnd())
  assert.equal(written().filter(({ kind }) => kind === 'topic').length, 3)
})

test('a window that ends with a pause ends a batch of enough facts', async () => {
  const { deliver, batches } = consolidatorHarness({ parameters: { ...noContent, leastAtPause: 3 } })
  await deliver(...guitars(2), windowEnd())
  assert.deepEqual(batches(), [])
  await deliver(guitar(7), windowEnd())
  assert.deepEqual(
    batches().map(({ closedBy, facts }) => [closedBy, facts.length]),
    [['pause', 3]],
  )
})

test('a batch is full by its facts or its tokens, and still ends with a window', async () => {
  for (const [limit, closedBy] of [
    [{ maxBatchFacts: 4 }, 'facts'],
    [{ maxBatchTokens: 15 }, 'tokens'],
  ] as const) {
    const { deliver, batches } = consolidatorHarness({ parameters: { ...noContent, ...limit } })
    await deliver(...guitars(6))
    assert.deepEqual(batches(), [])
    await deliver(windowEnd({ closedBy: 'utterances' }))
    assert.deepEqual(
      batches().map((batch) => [batch.closedBy, batch.facts.length]),
      [[closedBy, 6]],
    )
  }
})

test('batches that are cut by content end at the same places again after a change', async () => {
  const cuts = async (first: number) => {
    const { deliver, batches } = consolidatorHarness({ parameters: { minBatchFacts: 2 } })
    for (let n = first; n < 60; n++) await deliver({ ...guitar(n), id: `f${n}` }, windowEnd({ closedBy: 'utterances' }))
    return batches().map(({ facts }) => facts.at(-1))
  }
  const [whole, changed] = [await cuts(0), await cuts(5)]
  assert.ok(whole.length > 4)
  assert.deepEqual(changed.slice(-4), whole.slice(-4))
})

test('a batch of any size loses no fact', async () => {
  const count = 1_005
  const { deliver, batches } = consolidatorHarness({
    parameters: { ...noContent, maxBatchFacts: 2_000, maxBatchTokens: 1e6 },
  })
  const same = Array.from({ length: count }, () => fact({ subject: 'Maya', relation: 'repairs', object: 'guitars' }))
  await deliver(...same, windowEnd(), windowEnd())
  assert.deepEqual(
    batches().map(({ facts }) => facts.length),
    [count],
  )
})

test('a window without waiting facts ends no batch', async () => {
  const { deliver, batches } = consolidatorHarness()
  await deliver(windowEnd(), windowEnd())
  assert.deepEqual(batches(), [])
})
