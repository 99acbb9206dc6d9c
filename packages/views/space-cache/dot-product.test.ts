import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import openWabt from 'wabt'
import { paddedLength } from '../int8-vectors.ts'
import { dotProductsWith, wasm } from './dot-product.ts'

test('the module is its source, compiled', async () => {
  const source = readFileSync(new URL('./dot-product.wat', import.meta.url), 'utf8')
  const { parseWat } = await openWabt()
  const compiled = parseWat('dot-product.wat', source, { simd: true }).toBinary({}).buffer
  assert.equal(Buffer.from(compiled).toString('base64'), wasm)
})

test('products equal those of a plain loop, over all portions and at the limits of both number types', () => {
  for (const [dimensions, count] of [
    [8, 3],
    [512, 5_000],
    [1_536, 20],
    [512, 0],
  ] as const) {
    const length = paddedLength(dimensions)
    const query = Int16Array.from({ length }, (_, at) => (at < dimensions ? ((at * 37) % 4_095) - 2_047 : 0))
    const vectors = Int8Array.from({ length: length * count }, (_, at) => (at % 3 === 0 ? -128 : (at * 7_919) % 127))
    const plain = Array.from({ length: count }, (_, row) =>
      query.reduce((sum, value, at) => sum + value * (vectors[row * length + at] ?? 0), 0),
    )
    assert.deepEqual([...dotProductsWith(query, vectors)], plain, `${count} of ${dimensions}`)
  }
})
