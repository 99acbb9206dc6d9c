import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { memory, row } from '../fixture.ts'
import { recall } from '../recall.ts'
import type { Evidence } from '../recall-result.ts'
import { maxBudgetTokens } from '../request/request.ts'
import { fitBudget } from './fit-budget.ts'

const home = 'acme/home'

test('a budget is kept, items are in the order of time, and the others are listed as left out', async (t) => {
  const place = await memory(t)
  const rows = Array.from({ length: 12 }, (_, n) =>
    row(home, `u${n}`, `Ada: the boat ${'is blue '.repeat(n)}`, { at: 100 - n }),
  )
  await place.write('utterances', await Promise.all(rows))
  const { items, tokens, leftOut } = await recall({ space: home, query: 'boat', budgetTokens: 60 }, place)
  assert.ok(tokens <= 60 && tokens > 20, `${tokens} tokens`)
  assert.equal(items.length + leftOut.length, 12)
  assert.ok(leftOut.every(({ why }) => why === 'budget'))
  const times = items.map(({ at }) => at ?? 0)
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  )
})

test('an invalid budget is refused with its value', async (t) => {
  const place = await memory(t)
  for (const budgetTokens of [0, -1, 1.5, maxBudgetTokens + 1]) {
    await assert.rejects(
      recall({ space: home, query: 'boat', budgetTokens }, place),
      (error) => isLoomlogError(error, 'input-invalid') && /^budgetTokens is/.test(error.message),
    )
  }
})

test('a line on a day that is already shown costs less, and a year is named once', async (t) => {
  const place = await memory(t)
  const days = ['2023-05-08', '2023-05-08', '2023-06-01', '2024-01-02']
  const rows = days.map((day, n) => row(home, `u${n}`, `Ada: the boat ${n}`, { at: Date.parse(day) + n, offset: n }))
  await place.write('utterances', await Promise.all(rows))
  const { text } = await recall({ space: home, query: 'boat', budgetTokens: 100 }, place)
  assert.equal(
    text,
    '8 May 2023\n1 Ada: the boat 0\n2 Ada: the boat 1\n1 Jun\n3 Ada: the boat 2\n2 Jan 2024\n4 Ada: the boat 3\n',
  )
})

test('utterances of the same time are in the order of the log', async (t) => {
  const place = await memory(t)
  const order = [3, 0, 4, 1, 5, 2]
  const rows = order.map((offset) =>
    row(home, `u${9 - offset}`, `Ada: the boat ${'is blue '.repeat(9 - offset)}`, { offset }),
  )
  await place.write('utterances', await Promise.all(rows))
  const { items } = await recall({ space: home, query: 'boat', budgetTokens: 400 }, place)
  assert.deepEqual(
    items.map(({ offset }) => offset),
    [0, 1, 2, 3, 4, 5],
  )
})

function evidence(id: string, score: number, { at = 0, tokens = 10 } = {}): Evidence {
  const when = { at, offset: 0, valid: { from: null, to: null }, known: { from: 0, to: null } }
  const who = { space: home, speaker: 'Ada', conversation: 'c', sources: [id], method: null }
  return { id, kind: 'utterance', text: 'Ada: boat', score, tokens, ...when, ...who }
}

test('of two equally likely candidates, the one on a day that is already shown is taken', () => {
  const [first, other] = [evidence('first', 0.9), evidence('other', 0.5, { at: 86_400_000 })]
  const beside = evidence('beside', 0.5, { at: 1 })
  const { taken, leftOut } = fitBudget([first, other, beside], { tokens: 27, tokensEach: 27 }, 10)
  assert.deepEqual([taken.map(({ id }) => id), leftOut.map(([{ id }]) => id)], [['first', 'beside'], ['other']])
})

test('no item takes more than a third of the budget while shorter ones fit, and a long one may have the rest', () => {
  const short = [1, 2, 3].map((n) => evidence(`short ${n}`, 0.3, { tokens: 100 }))
  const items = [evidence('long', 0.99, { tokens: 600 }), ...short]
  const idsWithin = (tokens: number) =>
    fitBudget(items, { tokens, tokensEach: tokens / 3 }, 10).taken.map(({ id }) => id)
  assert.deepEqual(idsWithin(650), ['short 1', 'short 2', 'short 3'])
  assert.deepEqual(idsWithin(1_000), ['short 1', 'short 2', 'short 3', 'long'])
})
