/**
 * kafkajs's encoder and decoder of requests and responses, typed. A compact text or list, of flexible versions, is a
 * `UVarInt` one there.
 */
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export interface RequestBytes {
  buf: Buffer
  offset: number
}

export interface Encoder extends RequestBytes {
  writeInt32(value: number): Encoder
  writeInt64(value: bigint): Encoder
  writeBuffer(bytes: Buffer): Encoder
  writeEncoder(encoder: Encoder): Encoder
  writeUVarIntString(text: string): Encoder
  writeUVarIntArray(items: readonly Encoder[]): Encoder
  writeUVarIntBytes(bytes: Buffer | null): Encoder
}
export const KafkaEncoder = require('kafkajs/src/protocol/encoder') as new (bytes?: number) => Encoder

/** Its bytes are views. @throws RangeError for a number behind the end */
export interface Decoder {
  readInt16(): number
  readInt32(): number
  readInt64(): bigint
  readString(): string | null
  /** @param length as the next four bytes say, by default */
  readBytes(length?: number): Buffer | null
  readArray<T>(item: (decoder: Decoder) => T): readonly T[]
  readUVarInt(): number
  readUVarIntString(): string | null
  readUVarIntArray<T>(item: (decoder: Decoder) => T): readonly T[] | null
  forward(bytes: number): void
}
export const KafkaDecoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => Decoder

/** An encoder that holds these bytes: kafkajs sends them as they are. */
export function encoderOf(bytes: Buffer): RequestBytes {
  return Object.assign(new KafkaEncoder(1), { buf: bytes, offset: bytes.length })
}
