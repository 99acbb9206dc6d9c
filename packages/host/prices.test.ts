import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { moneyFor, pricesFrom } from './prices.ts'

const tokens = { inputTokens: 2_000_000, outputTokens: 500_000 }

test('tokens have the configured price of their model, and a model without a price has an unknown cost', () => {
  const prices = pricesFrom({ LOOMLOG_PRICES: 'small=0.15/0.6, org/large=a=2/8' })
  assert.ok(Math.abs((moneyFor(prices, 'small', tokens) ?? 0) - 0.6) < 1e-9)
  assert.equal(moneyFor(prices, 'openai:org/large=a', tokens), 8)
  assert.equal(moneyFor(prices, 'other', tokens), null)
  assert.equal(pricesFrom({}).size, 0)
})

test('a malformed price is refused with the expected form', () => {
  for (const text of ['small', 'small=1', 'small=a/b', '=1/2', 'small=-1/2']) {
    assert.throws(
      () => pricesFrom({ LOOMLOG_PRICES: text }),
      (error) => isLoomlogError(error, 'config-invalid') && error.message.includes('MODEL=INPUT/OUTPUT'),
    )
  }
})
