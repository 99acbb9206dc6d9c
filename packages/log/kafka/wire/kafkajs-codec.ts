/**
 * kafkajs's encoder of requests, typed, and its decoder of responses, within their bytes. A compact text or list, of
 * flexible versions, is a `UVarInt` one there.
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

interface KafkajsDecoder {
  readonly buffer: Buffer
  /** Of the next byte to read. */
  readonly offset: number
  readInt16(): number
  readInt32(): number
  readInt64(): bigint
  readBytes(length: number): Buffer | null
  readUVarInt(): number
}
const UncheckedDecoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => KafkajsDecoder

/**
 * Reads a response. Its bytes are views. Each method throws a RangeError for a value that ends behind the response:
 * kafkajs's decoder reads such a number as 0 and such a text in part, and moves back by a negative length.
 */
export class Decoder extends UncheckedDecoder {
  override readUVarInt(): number {
    const value = super.readUVarInt()
    if (this.offset > this.buffer.length) throw new RangeError('a response ends within a number')
    return value
  }

  /** @param length as the next four bytes say, by default; -1: null */
  override readBytes(length: number = this.readInt32()): Buffer | null {
    if (length !== -1) this.#requireBytes(length)
    return super.readBytes(length)
  }

  readString(): string | null {
    return this.readBytes(this.readInt16())?.toString() ?? null
  }

  readUVarIntString(): string | null {
    return this.readBytes(this.readUVarInt() - 1)?.toString() ?? null
  }

  readArray<T>(item: (decoder: Decoder) => T): readonly T[] {
    const count = this.readInt32()
    return count === -1 ? [] : this.#items(count, item)
  }

  readUVarIntArray<T>(item: (decoder: Decoder) => T): readonly T[] | null {
    const count = this.readUVarInt()
    return count === 0 ? null : this.#items(count - 1, item)
  }

  forward(bytes: number): void {
    this.readBytes(bytes)
  }

  /** An item has a byte or more, so a higher count is refused before a list of that length is made. */
  #items<T>(count: number, item: (decoder: Decoder) => T): readonly T[] {
    this.#requireBytes(count)
    return Array.from({ length: count }, () => item(this))
  }

  #requireBytes(least: number): void {
    const left = this.buffer.length - this.offset
    if (least < 0 || least > left)
      throw new RangeError(`a response counts ${least} bytes or items, and ${left} bytes are left`)
  }
}

/** An encoder that holds these bytes: kafkajs sends them as they are. */
export function encoderOf(bytes: Buffer): RequestBytes {
  return Object.assign(new KafkaEncoder(1), { buf: bytes, offset: bytes.length })
}
