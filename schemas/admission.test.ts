import assert from 'node:assert/strict'
import test from 'node:test'
import { admit, contentHash } from './admission.ts'
import type { ConversationPaused } from './events.ts'

const pause: ConversationPaused = {
  type: 'ConversationPaused',
  id: 'p1',
  tenant: 'acme',
  space: 'ada',
  conversation: 'c1',
  afterUtterance: 'u9',
  at: 100,
  appendedAt: 105,
}
const handled = ['ConversationPaused']

test('the first record of an id is admitted, with the hash of its content', () => {
  assert.deepEqual(admit(pause, 'acme/ada', handled, null), { outcome: 'admitted', content: contentHash(pause) })
})

test('the same record is a duplicate at any log time', () => {
  const again = { ...pause, appendedAt: 999 }
  assert.deepEqual(admit(again, 'acme/ada', handled, contentHash(pause)), { outcome: 'duplicate' })
})

test('the same id with other content is a conflict, and names the id', () => {
  const other = { ...pause, afterUtterance: 'u8' }
  const admission = admit(other, 'acme/ada', handled, contentHash(pause))
  assert.equal(admission.outcome, 'conflict')
  assert.match('reason' in admission ? admission.reason : '', /p1/)
})

test('a record under the key of another space, or under none, is invalid', () => {
  for (const key of ['acme/bob', 'acme', null]) assert.equal(admit(pause, key, handled, null).outcome, 'invalid')
})

test('a tenant or a space with a slash is invalid, even under a matching key', () => {
  const smuggled = { ...pause, tenant: 'acme', space: 'ada/x' }
  assert.equal(admit(smuggled, 'acme/ada/x', handled, null).outcome, 'invalid')
  assert.equal(admit({ ...pause, tenant: 'acme/ada', space: 'x' }, 'acme/ada/x', handled, null).outcome, 'invalid')
})

test('a kind without a handler is invalid', () => {
  const admission = admit(pause, 'acme/ada', ['UtteranceAppended'], null)
  assert.deepEqual(admission, { outcome: 'invalid', reason: 'nothing handles ConversationPaused yet' })
})
