/**
 * LZ4 in its frame format, as Kafka uses it. Its own checksums are ignored: the batch has one over all of it.
 *
 *   frame    => 0x184D2204:4 flags:1 blockSize:1 [contentSize:8] [dictionary:4] headerChecksum:1 block* end:4
 *   [checksum:4] block    => length:4 (highest bit: stored as it is; 0: the end) bytes [checksum:4]
 *   sequence => token:1 [moreLiterals:1*] literals distance:2 [moreRepeat:1*], and the last one ends after its literals
 */
import { DamagedBytes, LzOutput } from './lz-output.ts'

const magic = 0x184d2204
const headerBytes = 7
const flag = { blockChecksum: 16, contentSize: 8, dictionary: 1 } as const
const storedBit = 0x80000000
/** A length of fifteen in a token continues in the bytes after it. */
const longLength = 15
const shortestRepeat = 4
/** A guess; the output grows as needed. */
const usualRatio = 4

export function decompressLz4(packed: Buffer, maxBytes: number): Buffer {
  if (packed.length < headerBytes || packed.readUInt32LE(0) !== magic) throw new DamagedBytes('it is no LZ4 frame')
  const flags = packed.readUInt8(4)
  if (flags >>> 6 !== 1) throw new DamagedBytes(`its version is ${flags >>> 6}, not 1`)
  if (flags & flag.dictionary) throw new DamagedBytes('it needs a dictionary')
  const out = new LzOutput(packed.length * usualRatio, maxBytes)
  const checksumBytes = flags & flag.blockChecksum ? 4 : 0
  for (let at = headerBytes + (flags & flag.contentSize ? 8 : 0); ; ) {
    if (at + 4 > packed.length) throw new DamagedBytes('it has no end')
    const head = packed.readUInt32LE(at)
    if (head === 0) return out.bytes
    const start = at + 4
    const end = start + (head & ~storedBit)
    if (end > packed.length) throw new DamagedBytes(`a block ends at byte ${end} of ${packed.length}`)
    if (head >= storedBit) out.literal(packed, start, end)
    else sequences(packed.subarray(start, end), out)
    at = end + checksumBytes
  }
}

function sequences(block: Buffer, out: LzOutput): void {
  const cursor = { block, at: 0 }
  while (cursor.at < block.length) {
    const token = byte(cursor)
    const literals = length(cursor, token >>> 4)
    out.literal(block, cursor.at, cursor.at + literals)
    cursor.at += literals
    if (cursor.at === block.length) return
    const distance = byte(cursor) | (byte(cursor) << 8)
    out.repeat(distance, length(cursor, token & 15) + shortestRepeat)
  }
}

interface Cursor {
  readonly block: Buffer
  at: number
}

function length(cursor: Cursor, start: number): number {
  let total = start
  if (start < longLength) return total
  for (;;) {
    const more = byte(cursor)
    total += more
    if (more < 255) return total
  }
}

function byte(cursor: Cursor): number {
  const value = cursor.block[cursor.at]
  if (value === undefined) throw new DamagedBytes('a block ends within a sequence')
  cursor.at += 1
  return value
}
