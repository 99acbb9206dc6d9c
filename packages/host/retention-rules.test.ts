import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retentionRuleOf, retentionRules } from './retention-rules.ts'

test('the most specific rule of a space counts, and a space without a rule keeps everything', () => {
  const rules = retentionRules({ LOOMLOG_RETENTION: '400d, acme/*=30d,acme/legal=never' })
  const kept = (space: string) => retentionRuleOf(space, rules)?.days
  assert.deepEqual(['acme/legal', 'acme/home', 'acm/home', 'other/legal'].map(kept), [null, 30, 400, 400])
  assert.equal(retentionRuleOf('acme/home', rules)?.text, 'acme/*=30d')
  const [own] = retentionRules({ LOOMLOG_RETENTION: 'acme/a=b=7d' })
  assert.equal(own?.spaces, 'acme/a=b')
  assert.equal(retentionRuleOf('other/home', own === undefined ? [] : [own]), null)
  for (const text of [undefined, '', ' , ']) assert.deepEqual(retentionRules({ LOOMLOG_RETENTION: text }), [])
})

test('a wrong rule is refused with the setting, its value and the form of a rule', () => {
  for (const text of [
    '400',
    '0d',
    '1h',
    '-1d',
    '1.5d',
    'forever',
    '36501d',
    'acme=30d',
    '*/a=30d',
    'a/b/c=1d',
    '/a=1d',
  ])
    assert.throws(() => retentionRules({ LOOMLOG_RETENTION: text }), {
      code: 'config-invalid',
      message: /^LOOMLOG_RETENTION is ".*": expected DAYS, TENANT\/\*=DAYS or TENANT\/SPACE=DAYS/,
    })
  assert.throws(() => retentionRules({ LOOMLOG_RETENTION: '30d,acme/*=1d,acme/* = 2d' }), /expected/)
  assert.throws(() => retentionRules({ LOOMLOG_RETENTION: '30d,acme/*=1d,acme/*=2d' }), /one rule for acme\/\*/)
})
