import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromInt8, toInt8 } from './quantize.ts'

test('a vector is scaled until its largest component is 127, and rounded', () => {
  assert.deepEqual([...toInt8([3, -4])], [95, -127])
  assert.deepEqual([...toInt8([0.03, -0.04])], [95, -127])
  assert.deepEqual([...toInt8([1, 0])], [127, 0])
})

test('a recorded vector comes back with length 1, close to the original', () => {
  const back = fromInt8(toInt8([3, -4]))
  assert.ok(Math.abs(Math.hypot(...back) - 1) < 1e-6)
  assert.ok(Math.abs((back[0] ?? 0) - 0.6) < 0.01)
})

test('the zero vector stays zero', () => {
  assert.deepEqual([...fromInt8(toInt8([0, 0]))], [0, 0])
})

test('the cosine of recorded vectors is within 0.001 of the exact one, at 512 dimensions', () => {
  const a = Array.from({ length: 512 }, (_, n) => Math.sin(n))
  const b = Array.from({ length: 512 }, (_, n) => Math.sin(n + (n % 7) / 4))
  const exact = a.reduce((sum, x, n) => sum + x * (b[n] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b))
  const [back, other] = [fromInt8(toInt8(a)), fromInt8(toInt8(b))]
  const recorded = back.reduce((sum, x, n) => sum + x * (other[n] ?? 0), 0)
  assert.ok(Math.abs(recorded - exact) < 0.001)
})
