/**
 * Snappy, as Kafka's clients write it: librdkafka's is one raw block; Java's is xerial's stream, a header and then
 * blocks, each with its length before it.
 *
 *   stream  => 0x82 "SNAPPY" 0x00 version:4 compatible:4 [length:4 block]*
 *   block   => unpackedLength:varint element*
 *   element => tag:1 …, whose two lowest bits say: 0 literal; 1, 2, 3 repeat, with a distance of 11, 16 or 32 bits
 */
import { DamagedBytes, LzOutput } from './lz-output.ts'

const streamMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00])
const streamHeaderBytes = 16
/** Literals up to this length have it in their tag; longer ones in one to four bytes after it. */
const maxShortLiteral = 60

export function decompressSnappy(packed: Buffer, maxBytes: number): Buffer {
  if (!packed.subarray(0, streamMagic.length).equals(streamMagic)) return block(packed, maxBytes)
  const blocks: Buffer[] = []
  let left = maxBytes
  for (let at = streamHeaderBytes; at < packed.length; ) {
    const start = at + 4
    if (start > packed.length) throw new DamagedBytes('it ends within the length of a block')
    const end = start + packed.readInt32BE(at)
    if (end < start || end > packed.length) throw new DamagedBytes(`a block ends at byte ${end} of ${packed.length}`)
    const unpacked = block(packed.subarray(start, end), left)
    blocks.push(unpacked)
    left -= unpacked.length
    at = end
  }
  return Buffer.concat(blocks)
}

function block(packed: Buffer, maxBytes: number): Buffer {
  const head = lengthOf(packed)
  if (head.length > maxBytes) throw new DamagedBytes(`it unpacks to more than ${maxBytes} bytes`)
  const out = new LzOutput(head.length, head.length)
  for (let at = head.end; at < packed.length; ) at = element(packed, at, out)
  if (out.length !== head.length) throw new DamagedBytes(`it unpacks to ${out.length} bytes, not ${head.length}`)
  return out.bytes
}

/** Appends one element, and returns where the next one begins. */
function element(packed: Buffer, start: number, out: LzOutput): number {
  const tag = packed.readUInt8(start)
  const at = start + 1
  const upper = tag >>> 2
  switch (tag & 3) {
    case 0: {
      const lengthBytes = upper < maxShortLiteral ? 0 : upper - maxShortLiteral + 1
      const length = (lengthBytes === 0 ? upper : unsigned(packed, at, lengthBytes)) + 1
      const from = at + lengthBytes
      out.literal(packed, from, from + length)
      return from + length
    }
    case 1:
      out.repeat(((tag >>> 5) << 8) | unsigned(packed, at, 1), (upper & 7) + 4)
      return at + 1
    case 2:
      out.repeat(unsigned(packed, at, 2), upper + 1)
      return at + 2
    default:
      out.repeat(unsigned(packed, at, 4), upper + 1)
      return at + 4
  }
}

function unsigned(packed: Buffer, at: number, bytes: number): number {
  if (at + bytes > packed.length) throw new DamagedBytes('it ends within an element')
  return packed.readUIntLE(at, bytes)
}

function lengthOf(packed: Buffer): { readonly length: number; readonly end: number } {
  let length = 0
  for (let at = 0; at < 5; at++) {
    const byte = packed[at]
    if (byte === undefined) break
    length += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) return { length, end: at + 1 }
  }
  throw new DamagedBytes('it has no length')
}
