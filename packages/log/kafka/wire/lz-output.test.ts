/**
 * snappy and LZ4: packed bytes of other writers are unpacked, and damaged bytes are refused or give a bounded output.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DamagedBytes } from './lz-output.ts'
import { decompressLz4 } from './lz4.ts'
import { decompressSnappy } from './snappy.ts'

const text = 'loomlog loomlog loomlog: to and fro, to and fro'
const limit = 1_000
/** By the lz4 command: without and with sizes and checksums. */
const lz4 = [
  'BCJNGGRApyUAAACLbG9vbWxvZyAIAPAJOiB0byBhbmQgZnJvLCB0byBhbmQgZnJvAAAAALG4nMo=',
  'BCJNGHxALwAAAAAAAABuJQAAAItsb29tbG9nIAgA8Ak6IHRvIGFuZCBmcm8sIHRvIGFuZCBmcm88Pox5AAAAALG4nMo=',
].map((packed) => Buffer.from(packed, 'base64'))

function literal(of: string): Buffer {
  return Buffer.concat([Buffer.of((of.length - 1) << 2), Buffer.from(of)])
}

/** Literals, and repeats with a distance of one, two and four bytes. */
const block = Buffer.concat([
  Buffer.of(text.length),
  literal('loomlog '),
  Buffer.of(((11 - 4) << 2) | 1, 8),
  Buffer.of(((4 - 1) << 2) | 2, 8, 0),
  literal(': to and fro,'),
  Buffer.of(((11 - 1) << 2) | 3, 12, 0, 0, 0),
])

function stream(...blocks: readonly Buffer[]): Buffer {
  const head = Buffer.concat([Buffer.from([0x82]), Buffer.from('SNAPPY\0'), Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])])
  const sized = blocks.map((each) => Buffer.concat([Buffer.of(0, 0, 0, each.length), each]))
  return Buffer.concat([head, ...sized])
}

test('snappy is unpacked, as one block and as a stream of blocks', () => {
  assert.equal(decompressSnappy(block, limit).toString(), text)
  assert.equal(decompressSnappy(stream(block, block), limit).toString(), text + text)
})

test('an LZ4 frame is unpacked, with sizes and checksums and without', () => {
  for (const packed of lz4) assert.equal(decompressLz4(packed, limit).toString(), text)
})

test('output beyond the limit is refused; a changed byte is refused, or gives other output within the limit', () => {
  const cases = [
    [decompressSnappy, block],
    [decompressSnappy, stream(block, block)],
    ...lz4.map((packed) => [decompressLz4, packed] as const),
  ] as const
  for (const [unpack, packed] of cases) {
    assert.throws(() => unpack(packed, text.length - 1), DamagedBytes)
    for (let at = 0; at < packed.length; at++) {
      for (const flip of [1, 0x0f, 0x80, 0xff]) {
        const damaged = Buffer.from(packed)
        damaged.writeUInt8(damaged.readUInt8(at) ^ flip, at)
        refusedOrBounded(unpack, damaged)
      }
      refusedOrBounded(unpack, packed.subarray(0, at))
    }
  }
})

function refusedOrBounded(unpack: typeof decompressLz4, bytes: Buffer): void {
  try {
    assert.ok(unpack(bytes, limit).length <= limit)
  } catch (error) {
    assert.ok(error instanceof DamagedBytes, `${error}`)
  }
}
