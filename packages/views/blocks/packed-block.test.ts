import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { testRow, testVectors } from '../contract/setup.ts'
import { facts as table } from '../tables/facts.ts'
import { packBlock, unpackBlock } from './packed-block.ts'
import { mergedBlock, type RowBlock, rowBlock } from './row-block.ts'

const fields = Object.keys(table.allColumns)
const { dimensions } = testVectors

function block(from: number, count: number): RowBlock {
  const rows = Array.from({ length: count }, (_, at) =>
    testRow(`r${from + at}`, from + at, {
      text: at % 3 === 0 ? 'Grüße aus 東京, “quoted”\n' : `w${at % 5} w${at % 5} says \u0000 ${at}`,
      vector: at % 4 === 0 ? null : Float32Array.from({ length: dimensions }, (_, n) => Math.sin(at + n)),
      lineage: at % 2 === 0 ? null : { derivation: 'd', method: 'rules', causes: ['é'], completions: [] },
    }),
  )
  return rowBlock(rows, dimensions)
}

/** Every part of a block that a search reads. */
function content(block: RowBlock) {
  const { length, vectors, scales, wordCounts, postings, bytes } = block
  return {
    length,
    vectors,
    scales,
    wordCounts,
    bytes,
    rows: Array.from({ length }, (_, at) => block.row(at)),
    columns: fields.map((field) => block.column(field)),
    words: postings.words.map((word) => {
      const { rows = [], counts = [] } = postings.of(word) ?? {}
      return [word, Array.from(rows), Array.from(counts)]
    }),
  }
}

test('a block is read back as it was packed', () => {
  for (const count of [0, 1, 300]) {
    const whole = block(0, count)
    assert.deepEqual(content(unpackBlock(packBlock(whole, fields), fields)), content(whole))
  }
})

test('a merged block equals the block of all its rows, also if its parts were packed', () => {
  const [one, other] = [block(0, 30), block(30, 20)]
  const merged = mergedBlock([{ block: unpackBlock(packBlock(one, fields), fields) }, { block: other }])
  const rows = [one, other].flatMap((each) => Array.from({ length: each.length }, (_, at) => each.row(at)))
  assert.deepEqual(content(merged).rows, rows)
  assert.equal(merged.bytes, one.bytes + other.bytes)
  const some = mergedBlock([
    { block: one, places: [3, 7] },
    { block: other, places: [0] },
  ])
  assert.deepEqual(some.column('id'), ['r3', 'r7', 'r30'])
  assert.deepEqual(Array.from(some.postings.of('w3')?.rows ?? []), [])
  assert.deepEqual(Array.from(some.postings.of('w2')?.counts ?? []), [2])
})

/** Bytes of objects and of buffers. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Bytes that a block of `pack` keeps after all of it was read, beside its source buffer. */
function bytesOfReading(pack: Uint8Array, count: number): { readonly used: number; readonly said: number } {
  let store: Uint8Array | null = new Uint8Array(8 * pack.length)
  store.set(pack)
  const before = usedBytes() - store.length
  const read = unpackBlock(store.subarray(0, pack.length), fields)
  store = null
  for (let at = 0; at < count; at += 1) read.row(at)
  for (const field of fields) read.column(field)
  return { used: usedBytes() - before, said: read.bytes }
}

test('a block that is read whole takes no more memory than `bytes` says, beside its source buffer', () => {
  const count = 2_000
  const pack = packBlock(block(0, count), fields)
  // The least of several measurements: other work of the process, such as compiling, takes memory too.
  const measured = Array.from({ length: 5 }, () => bytesOfReading(pack, count))
  const [least] = measured.toSorted((a, b) => a.used - b.used)
  assert.ok(least !== undefined && least.used <= least.said, JSON.stringify(measured))
})

test('any changed byte is reported as damage', () => {
  const bytes = packBlock(block(0, 5), fields)
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = Uint8Array.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.throws(() => unpackBlock(changed, fields), { code: 'view-corrupt' }, `byte ${at}`)
  }
  assert.throws(() => unpackBlock(bytes.subarray(0, 5), fields), { code: 'view-corrupt' })
})
