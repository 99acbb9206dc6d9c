/**
 * Decompression of a batch's records. Kafka's four codecs: gzip and zstd are Node's, snappy and LZ4 are beside this file
 * (docs/decisions/0013-kafka-wire.md says why). No batch unpacks to more than `maxUnpackedBytes`.
 */
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { unlz4 } from './lz4.ts'
import { unsnappy } from './snappy.ts'

/** Brokers take batches of 1 MiB by default, and text packs to a tenth; beyond this a batch is an attack or damage. */
const maxUnpackedBytes = 128 * 1024 * 1024

type Unpack = (packed: Buffer, maxBytes: number) => Buffer

/** The index is the codec's number in the attributes of a batch. */
const codecs: readonly { readonly name: string; readonly unpack: Unpack }[] = [
  { name: 'none', unpack: (packed) => packed },
  { name: 'gzip', unpack: (packed, maxOutputLength) => gunzipSync(packed, { maxOutputLength }) },
  { name: 'snappy', unpack: unsnappy },
  { name: 'lz4', unpack: unlz4 },
  { name: 'zstd', unpack: (packed, maxOutputLength) => zstdDecompressSync(packed, { maxOutputLength }) },
]

/** The names of the codecs that can be read, as `compression.type` has them. */
export const codecNames = codecs.map(({ name }) => name)

/** @throws Error with the codec's name, for bytes that it can't decompress */
export function unpack(codec: number, packed: Buffer): Buffer {
  const found = codecs[codec]
  if (!found) throw new Error(`compression codec ${codec} is not one of ${codecNames.join(', ')}`)
  try {
    return found.unpack(packed, maxUnpackedBytes)
  } catch (cause) {
    throw new Error(`${found.name}: ${(cause as Error).message}`, { cause })
  }
}
