import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withPeriodicReload } from './words.ts'

test('an instance that has read its limit of characters is replaced', () => {
  let count = 0
  const instance = withPeriodicReload(() => (count += 1), 10)
  assert.deepEqual(['four', 'four', 'four', 'four', 'four'].map(instance), [1, 1, 1, 2, 2])
})
