import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countStringsWith, freshCanary } from '../../../test/heap-strings.ts'
import { validatorOf } from './schema-checks.ts'

test('a refused value is named in the error, and no validator holds it afterwards', async () => {
  const canary = freshCanary()
  const schema = { type: 'object', properties: { limit: { type: 'integer' } } }
  const validators = ['body', 'querystring'].map((httpPart) => validatorOf({ schema, httpPart }))
  const refuse = () => {
    for (const validate of validators) {
      const refused = validate({ limit: `${canary}` })
      assert.ok(typeof refused === 'object' && refused.error.message.includes(`${canary}`))
    }
  }
  refuse()
  assert.deepEqual(await countStringsWith([canary]), [0])
})
