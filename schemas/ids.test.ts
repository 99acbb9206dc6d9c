import assert from 'node:assert/strict'
import test from 'node:test'
import { canonicalJson, derivedId, hash, spaceKey } from './ids.ts'

test('canonical JSON has sorted keys at every depth, no white space, and the order of arrays', () => {
  assert.equal(
    canonicalJson({ b: [2, 1, { z: null, a: true }], a: 'ü"' }),
    '{"a":"ü\\"","b":[2,1,{"a":true,"z":null}]}',
  )
})

test('an absent field and an undefined one are the same', () => {
  assert.equal(canonicalJson({ a: 1, b: undefined }), canonicalJson({ a: 1 }))
})

test('keys are sorted by UTF-16 units, in any locale', () => {
  assert.equal(canonicalJson({ ä: 1, z: 2, Z: 3 }), '{"Z":3,"z":2,"ä":1}')
})

test('different values give different texts', () => {
  const values = [
    null,
    '',
    'null',
    0,
    '0',
    false,
    [],
    [[]],
    {},
    [null],
    { a: null },
    { a: 'null' },
    ['a', 'b'],
    ['a,b'],
  ]
  assert.equal(new Set(values.map(canonicalJson)).size, values.length)
})

test('numbers that JSON cannot hold are refused, not turned into null', () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => canonicalJson({ value }), /no place/)
})

test('a hash is 32 hex digits, and never changes', () => {
  assert.equal(hash({ b: 1, a: 'x' }), hash({ a: 'x', b: 1 }))
  assert.equal(hash(['loomlog', 1]), '45902fb38927a3f8254f90f379e90dc0')
})

test('a derived id depends on stage, cause and ordinal, and on nothing else', () => {
  const ids = [derivedId('s', 'c', 0), derivedId('s', 'c', 1), derivedId('s', 'd', 0), derivedId('t', 'c', 0)]
  assert.equal(new Set(ids).size, 4)
  assert.equal(derivedId('s', 'c', 0), ids[0])
})

test('a space key is the tenant and the space with a slash between', () => {
  assert.equal(spaceKey('acme', 'ada'), 'acme/ada')
})

test('sorted and unsorted keys give the same text, at every depth', () => {
  const inOrder = { a: [{ b: 1, c: -0 }, 'é\ud800"'], d: { 10: 1, 2: 2, x: null }, e: undefined, f: true }
  const shuffled = { f: true, d: { x: null, 2: 2, 10: 1 }, e: undefined, a: [{ c: 0, b: 1 }, 'é\ud800"'] }
  assert.equal(canonicalJson(inOrder), canonicalJson(shuffled))
  assert.equal(canonicalJson(inOrder), '{"a":[{"b":1,"c":0},"é\\ud800\\""],"d":{"10":1,"2":2,"x":null},"f":true}')
})
