import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { memory, row } from './fixture.ts'
import { recall } from './recall.ts'
import { maxBudgetTokens } from './request.ts'

const home = 'acme/home'

test('a budget is kept, what is shown stands in the order of time, and what was left out is said', async (t) => {
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

test('a budget that is none is refused with its value', async (t) => {
  const place = await memory(t)
  for (const budgetTokens of [0, -1, 1.5, maxBudgetTokens + 1]) {
    await assert.rejects(
      recall({ space: home, query: 'boat', budgetTokens }, place),
      (error) => isLoomlogError(error, 'input-invalid') && /^budgetTokens is/.test(error.message),
    )
  }
})
