import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoize } from './memoize.ts'

function counted(bounds: Parameters<typeof memoize>[0], texts: readonly string[]): readonly string[] {
  const computed: string[] = []
  const count = memoize(bounds, (text) => computed.push(text))
  for (const text of texts) count(text)
  return computed
}

test('a result is computed once, and for a long text each time', () => {
  const texts = ['a', 'a', 'long', 'long', 'b', 'a']
  assert.deepEqual(counted({ total: 200, longest: 3 }, texts), ['a', 'long', 'long', 'b'])
})

test('a full cache drops its oldest quarter and keeps the rest', () => {
  const texts = ['a', 'b', 'c', 'd', 'e', 'd', 'c', 'b', 'a', 'c', 'b']
  assert.deepEqual(counted({ total: 200, longest: 3 }, texts), ['a', 'b', 'c', 'd', 'e', 'a', 'b'])
})
