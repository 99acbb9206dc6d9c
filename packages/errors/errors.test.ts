import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError, LoomlogError } from './errors.ts'

test('an error has the status of its code and reads as problem details', () => {
  const errors = [{ pointer: '/0/text', detail: 'text is missing' }]
  const error = new LoomlogError('input-invalid', 'text is missing', { errors })
  assert.equal(error.status, 400)
  assert.equal(new LoomlogError('fenced', 'x').status, 500)
  assert.equal(
    JSON.stringify(error),
    JSON.stringify({
      type: 'urn:loomlog:problem:input-invalid',
      title: 'input invalid',
      status: 400,
      detail: 'text is missing',
      errors,
    }),
  )
  assert.ok(!('errors' in new LoomlogError('fenced', 'x')))
})

test('an error of another copy of the class is recognised by name and code', () => {
  const other = (name: string, code: string) => Object.assign(new Error('x'), { name, code })
  assert.ok(isLoomlogError(other('LoomlogError', 'not-found')))
  assert.ok(isLoomlogError(other('LoomlogError', 'not-found'), 'not-found'))
  assert.ok(!isLoomlogError(other('LoomlogError', 'not-found'), 'fenced'))
  assert.ok(!isLoomlogError(other('LoomlogError', 'ENOENT')))
  assert.ok(!isLoomlogError(other('Error', 'not-found')))
  assert.ok(!isLoomlogError(null))
})
