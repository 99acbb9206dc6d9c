import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import { requestFrom, type TextParameters } from './parameters.ts'

test('every option becomes its part of the request', () => {
  const given: TextParameters = {
    query: 'boat',
    mode: 'content',
    kind: ['fact', 'box'],
    limit: '3',
    budget: '500',
    speaker: 'Maya',
    conversation: ['a', 'b'],
    from: '2026-03-02',
    to: '2026-03-02T09:00:00+01:00',
    exclude: ['u1', 'u2'],
    metadata: ['a=b=c', 'd='],
    trueAt: '1970-01-02',
    knownAt: '1970-01-01T00:00:00.005Z',
    after: '2@134',
    reach: 'derived',
    wait: '100',
  }
  const filter = { speakers: ['Maya'], conversations: ['a', 'b'], metadata: { a: 'b=c', d: '' } }
  assert.deepEqual(requestFrom(given, 'acme/home'), {
    space: 'acme/home',
    query: 'boat',
    mode: 'content',
    kinds: ['fact', 'box'],
    limit: 3,
    budgetTokens: 500,
    filter: { ...filter, from: Date.UTC(2026, 2, 2), to: Date.UTC(2026, 2, 2, 8) },
    exclude: ['u1', 'u2'],
    asOf: { trueAt: 86_400_000, knownAt: 5 },
    after: { partition: 2, offset: 134, reach: 'derived' },
    maxWaitMs: 100,
  })
})

test('an invalid parameter is named with its value and the expected values', () => {
  const wrong: readonly (readonly [TextParameters, RegExp])[] = [
    [{ query: ['a', 'b'] }, /^query is given more than once/],
    [{ mode: 'all' }, /^mode is "all": expected one of content, trace_event, combined/],
    [{ budget: '-1' }, /^budget is "-1": expected a whole number from 1 to 100000/],
    [{ budget: '0' }, /^budget is "0"/],
    [{ limit: '201' }, /^limit is "201": expected a whole number from 1 to 200/],
    [{ wait: '30001' }, /^wait is "30001"/],
    [{ limit: '' }, /^limit is ""/],
    [{ from: 'yesterday' }, /^from is "yesterday": expected a day, such as/],
    [{ to: '2026-02-30' }, /^to is "2026-02-30"/],
    [{ trueAt: '2026-13-01' }, /^trueAt/],
    [{ knownAt: '2026-03-02T09:00:00' }, /^knownAt/],
    [{ knownAt: '2026-03-02T25:00:00Z' }, /^knownAt/],
    [{ after: '134' }, /^after is "134": expected a position/],
    [{ after: '2@134', reach: 'all' }, /^reach is "all": expected one of raw, derived/],
    [{ reach: 'raw' }, /^reach is "raw": expected after beside it/],
    [{ metadata: '=a' }, /^metadata is "=a": expected LABEL=VALUE/],
  ]
  for (const [given, message] of wrong) {
    assert.throws(
      () => requestFrom({ query: 'boat', ...given }, 'acme/home'),
      (error) => isLoomlogError(error, 'input-invalid') && message.test(error.message),
      JSON.stringify(given),
    )
  }
})

test('an invalid parameter is named in the spelling of the caller', () => {
  const spelled = (name: string) => `--${name.toLowerCase()}`
  assert.throws(
    () => requestFrom({ query: 'boat', trueAt: 'soon' }, 'acme/home', spelled),
    /^LoomlogError: --trueat is/,
  )
})
