import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cosineInt8, fromInt8, toInt8 } from './quantize.ts'

test('a vector is scaled until its largest component is 127, and rounded', () => {
  assert.deepEqual([...toInt8([3, -4])], [95, -127])
  assert.deepEqual([...toInt8([0.03, -0.04])], [95, -127])
  assert.deepEqual([...toInt8([1, 0])], [127, 0])
})

test('what was recorded comes back with length 1, near to what it was', () => {
  const back = fromInt8(toInt8([3, -4]))
  assert.ok(Math.abs(Math.hypot(...back) - 1) < 1e-6)
  assert.ok(Math.abs((back[0] ?? 0) - 0.6) < 0.01)
})

test('a vector has the cosine 1 with itself, exactly, and 0 with the zero vector', () => {
  const vector = toInt8(Array.from({ length: 512 }, (_, n) => Math.sin(n)))
  assert.equal(cosineInt8(vector, vector), 1)
  assert.equal(cosineInt8(vector, toInt8(new Float32Array(512))), 0)
  assert.deepEqual([...fromInt8(toInt8([0, 0]))], [0, 0])
})

test('the cosine of recorded vectors is within 0.001 of the exact one, at 512 dimensions', () => {
  const a = Array.from({ length: 512 }, (_, n) => Math.sin(n))
  const b = Array.from({ length: 512 }, (_, n) => Math.sin(n + (n % 7) / 4))
  const exact = a.reduce((sum, x, n) => sum + x * (b[n] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b))
  assert.ok(Math.abs(cosineInt8(toInt8(a), toInt8(b)) - exact) < 0.001)
})

test('vectors of different sizes have no cosine', () => {
  assert.throws(() => cosineInt8([1], [1, 0]), /1 and 2 dimensions/)
})
