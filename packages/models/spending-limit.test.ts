import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SpendingLimit, type SpendingLimits } from './spending-limit.ts'
import { ModelUnavailable } from './unavailable.ts'

const noon = Date.UTC(2026, 0, 1, 12)
const estimate = { inputTokens: 50, outputTokens: 50 }
const isUnbilled = () => false

function limit(limits: Partial<SpendingLimits>, recorded = { money: 0 }) {
  return new SpendingLimit({
    limits: { tokensPerMinute: null, moneyPerDay: null, ...limits },
    priceOf: (model, { inputTokens, outputTokens }) => (model === 'priced' ? (inputTokens + outputTokens) / 100 : null),
    spentToday: async () => recorded.money,
  })
}

/** A call that uses this many tokens. */
const using = (tokens: number) => async () => ({ inputTokens: tokens, outputTokens: 0 })

async function refused(work: Promise<unknown>): Promise<ModelUnavailable> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ModelUnavailable, `not refused: ${error}`)
  return error
}

test('tokens a minute: calls in flight count as estimated, ended ones as counted, and the refusal names the wait', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: noon })
  const limited = limit({ tokensPerMinute: 250 })
  const held = Promise.withResolvers<{ inputTokens: number; outputTokens: number }>()
  const inFlight = [1, 2, 3].map(() =>
    limited.run({ model: 'm', estimate, isUnbilled, isRecorded: true }, () => held.promise),
  )
  await Promise.resolve()
  const error = await refused(limited.run({ model: 'm', estimate, isUnbilled, isRecorded: true }, using(1)))
  assert.match(error.message, /250 tokens a minute \(LOOMLOG_MODEL_TOKENS_PER_MINUTE\)/)
  assert.equal(error.retryAfterMs, 60_000)
  held.resolve({ inputTokens: 10, outputTokens: 10 })
  await Promise.all(inFlight)
  t.mock.timers.tick(20_000)
  await limited.run({ model: 'm', estimate, isUnbilled, isRecorded: true }, using(200))
  assert.equal(
    (await refused(limited.run({ model: 'm', estimate, isUnbilled, isRecorded: true }, using(1)))).retryAfterMs,
    40_000,
  )
  t.mock.timers.tick(40_000)
  await limited.run({ model: 'm', estimate, isUnbilled, isRecorded: true }, using(1))
})

test('money a day: concurrent calls do not all pass, records of other processes count, and midnight begins a new day', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: noon })
  const recorded = { money: 0 }
  const limited = limit({ moneyPerDay: 3 }, recorded)
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, () =>
      limited.run({ model: 'priced', estimate, isUnbilled, isRecorded: true }, using(100)),
    ),
  )
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
  const error = await refused(limited.run({ model: 'priced', estimate, isUnbilled, isRecorded: true }, using(100)))
  assert.match(error.message, /^3\.0000 of 3 a day .* is spent: it resumes at 2026-01-02T00:00:00\.000Z$/)
  assert.equal(error.retryAfterMs, 12 * 3_600_000)
  t.mock.timers.tick(6_000)
  recorded.money = 5
  assert.match(
    (await refused(limited.run({ model: 'priced', estimate, isUnbilled, isRecorded: true }, using(1)))).message,
    /^5\.0000 of 3/,
  )
  t.mock.timers.tick(12 * 3_600_000)
  recorded.money = 0
  await limited.run({ model: 'priced', estimate, isUnbilled, isRecorded: true }, using(1))
})

test('money of calls whose answers are not recorded counts all day, however often the recorded sum is read', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: noon })
  const limited = limit({ moneyPerDay: 3 })
  const call = { model: 'priced', estimate, isUnbilled, isRecorded: false }
  for (let calls = 0; calls < 3; calls++) {
    await limited.run(call, using(100))
    t.mock.timers.tick(6_000)
  }
  assert.match((await refused(limited.run(call, using(1)))).message, /^3\.0000 of 3/)
  t.mock.timers.tick(12 * 3_600_000)
  await limited.run(call, using(1))
})

test('a model without a price is not called while money is limited, and nothing is limited by default', async () => {
  assert.match(
    (await refused(limit({ moneyPerDay: 3 }).run({ model: 'free', estimate, isUnbilled, isRecorded: true }, using(1))))
      .message,
    /no price/,
  )
  for (let calls = 0; calls < 100; calls++)
    await limit({}).run({ model: 'free', estimate, isUnbilled, isRecorded: true }, using(1_000_000))
})

test('a failed call counts as estimated all day, unless it costs nothing', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: noon })
  const limited = limit({ moneyPerDay: 3, tokensPerMinute: 1_000 })
  const fail = (isUnbilled: () => boolean) =>
    limited.run({ model: 'priced', estimate, isUnbilled, isRecorded: true }, () =>
      Promise.reject(new Error('no reply')),
    )
  for (let calls = 0; calls < 20; calls++)
    await assert.rejects(
      fail(() => true),
      /no reply/,
    )
  for (let calls = 0; calls < 3; calls++) {
    await assert.rejects(
      fail(() => false),
      /no reply/,
    )
    // The recorded sum is read again, and never holds a failed call.
    t.mock.timers.tick(6_000)
  }
  assert.match((await refused(fail(() => false))).message, /^3\.0000 of 3/)
})
