import assert from 'node:assert/strict'
import { test } from 'node:test'
import { remembered } from './memoize.ts'

test('what is made of a text is made once, of a long one each time, and of all again when there are too many', () => {
  const made: string[] = []
  const count = remembered({ texts: 2, characters: 3 }, (text) => made.push(text))
  for (const text of ['a', 'a', 'long', 'long', 'b', 'c', 'a']) count(text)
  assert.deepEqual(made, ['a', 'long', 'long', 'b', 'c', 'a'])
})
