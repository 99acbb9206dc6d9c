import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { partitionOf, partitionOfRecord } from './partition.ts'

const require = createRequire(import.meta.url)
const kafkajsMurmur2: (key: string) => number = require('kafkajs/src/producer/partitioners/default/murmur2.js')

/** From Kafka's own UtilsTest. */
const javaVectors: readonly (readonly [key: string, hash: number])[] = [
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
]

test("keys fall into the partitions that Kafka's Java client chooses", () => {
  for (const [key, hash] of javaVectors)
    assert.equal(partitionOf(key, 2 ** 31 - 1), (hash & 0x7fffffff) % (2 ** 31 - 1))
})

test('keys of every length and script fall into the partitions that kafkajs chooses', () => {
  for (let i = 0; i < 500; i++) {
    const key = `${'é日本🙂x'.slice(i % 6)}/${'k'.repeat(i % 9)}${i}`
    for (const partitions of [1, 7, 8, 1000]) {
      assert.equal(partitionOf(key, partitions), (kafkajsMurmur2(key) & 0x7fffffff) % partitions, key)
    }
  }
})

test('a record without a key goes to its partition, and is refused without a valid partition', () => {
  const record = { key: null, value: new Uint8Array(), timestamp: 0 }
  assert.equal(partitionOfRecord({ ...record, partition: 3 }, 4), 3)
  assert.throws(() => partitionOfRecord(record, 4), RangeError)
  assert.throws(() => partitionOfRecord({ ...record, partition: 4 }, 4), RangeError)
})
