import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectedName, givenId, maxNameChars, nameFrom } from './names.ts'

test('a name is in NFC and trimmed, so one name in two forms is one name', () => {
  assert.equal(nameFrom('Jose\u0301'), 'José')
  assert.equal(nameFrom(' \tMaya\r\n'), 'Maya')
  for (const name of ["Dr. O'Neil", '山田', 'Maya (PM)', 'Boss: Mallory', '❤\ufe0f', 'x'.repeat(maxNameChars)])
    assert.equal(nameFrom(name), name)
})

test('control, bidirectional, zero-width and separator characters are refused, with emoji and words that need them', () => {
  const unseen = [
    ...'\u0000\u001b\n\r\x85\u009b\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202e\u2060\u2066\u3164\ufeff',
  ]
  for (const each of unseen) assert.equal(nameFrom(`a${each}b`), null, JSON.stringify(each))
  for (const name of ['👩\u200d👩\u200d👧', 'می\u200cخواهم', '', ' \n', 'x'.repeat(maxNameChars + 1), 7, null])
    assert.equal(nameFrom(name), null, String(name))
  assert.match(expectedName, /1 to 256 characters/)
})

test('an id of a writer stays exactly as it is given, or is refused', () => {
  for (const id of [' m 1 ', 'Jose\u0301']) assert.equal(givenId(id), id)
  for (const id of ['', ' ', 'a\u200bb', 'a\nb', 'x'.repeat(257)]) assert.equal(givenId(id), null, id)
})
