/**
 * Decompression of a batch's records. Kafka's four codecs: gzip and zstd are Node's, snappy and LZ4 are beside this
 * file (docs/decisions/0013-kafka-wire.md says why). No batch unpacks to more than `maxUnpackedBytes`.
 */
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { decompressLz4 } from './lz4.ts'
import { decompressSnappy } from './snappy.ts'

/** Brokers take batches of 1 MiB by default, and text packs to a tenth; beyond this a batch is an attack or damage. */
const maxUnpackedBytes = 128 * 1024 * 1024

type Decompress = (packed: Buffer, maxBytes: number) => Buffer

/** The index is the codec's number in the attributes of a batch. */
const codecs: readonly { readonly name: string; readonly decompress: Decompress }[] = [
  { name: 'none', decompress: (packed) => packed },
  { name: 'gzip', decompress: (packed, maxOutputLength) => gunzipSync(packed, { maxOutputLength }) },
  { name: 'snappy', decompress: decompressSnappy },
  { name: 'lz4', decompress: decompressLz4 },
  { name: 'zstd', decompress: (packed, maxOutputLength) => zstdDecompressSync(packed, { maxOutputLength }) },
]

/** The names of the codecs that can be read, as `compression.type` has them. */
export const codecNames = codecs.map(({ name }) => name)

/** @throws Error with the codec's name, for bytes that it can't decompress */
export function decompress(codec: number, packed: Buffer): Buffer {
  const found = codecs[codec]
  if (!found) throw new Error(`compression codec ${codec} is not one of ${codecNames.join(', ')}`)
  try {
    return found.decompress(packed, maxUnpackedBytes)
  } catch (cause) {
    throw new Error(`${found.name}: ${(cause as Error).message}`, { cause })
  }
}
