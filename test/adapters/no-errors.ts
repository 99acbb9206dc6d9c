/** An `onError` for a test in which the memory doesn't fail: an error of it fails the test at its end. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

export function noErrors(t: TestContext): (error: unknown) => void {
  const errors: unknown[] = []
  t.after(() => assert.deepEqual(errors, []))
  return (error) => {
    errors.push(error)
  }
}
