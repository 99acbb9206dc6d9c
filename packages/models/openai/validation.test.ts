import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countStringsWith, freshCanary } from '../../../test/heap-strings.ts'
import { validate } from './validation.ts'

test('an answer that does not fit is described, and no word of it is held afterwards', async () => {
  const canary = freshCanary()
  const schema = { type: 'object', properties: {}, additionalProperties: { type: 'integer' } }
  const refuse = () => assert.ok('problem' in validate(JSON.stringify({ [`${canary}`]: 'a text' }), schema))
  refuse()
  assert.deepEqual(await countStringsWith([canary]), [0])
})
