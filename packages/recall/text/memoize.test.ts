import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoize } from './memoize.ts'

test('a result is computed once, for a long text each time, and again after the cache was full', () => {
  const computed: string[] = []
  const count = memoize({ texts: 2, characters: 3 }, (text) => computed.push(text))
  for (const text of ['a', 'a', 'long', 'long', 'b', 'c', 'a']) count(text)
  assert.deepEqual(computed, ['a', 'long', 'long', 'b', 'c', 'a'])
})
