/**
 * Requests that kafkajs doesn't know, sent on its connections. They are of "flexible" versions: every structure ends
 * with tagged fields, which are empty here. kafkajs writes and reads headers without tagged fields, so each body begins
 * with those of its header.
 */
import type { RequestConnection } from './kafkajs-cluster.ts'
import { Decoder, type Encoder, KafkaEncoder } from './kafkajs-codec.ts'
import { createErrorFromCode } from './kafkajs-internals.ts'

export interface FlexibleRequest<T> {
  readonly apiKey: number
  readonly apiName: string
  readonly apiVersion: number
  readonly body: Encoder
  /** Reads the response, and checks its error codes with `requireNoError`. */
  read(decoder: Decoder): T
}

/** @throws RangeError for a response that is cut off, or has a wrong length or count */
export function sendFlexible<T>(broker: RequestConnection, { body, read, ...named }: FlexibleRequest<T>): Promise<T> {
  const encode = async () => withoutTags(new KafkaEncoder()).writeEncoder(withoutTags(body))
  const parse = async (answer: Buffer) => {
    const decoder = new Decoder(answer)
    skipTags(decoder)
    return read(decoder)
  }
  const response = { decode: async (answer: Buffer) => answer, parse }
  return broker.connectionPool.send<T>({ request: { ...named, encode }, response })
}

/** Ends a structure: kafkajs writes bytes that are null as a zero, the number of tagged fields. */
export function withoutTags(structure: Encoder): Encoder {
  return structure.writeUVarIntBytes(null)
}

/** kafkajs's `readTaggedFields` stops one byte before the end of each field. */
export function skipTags(decoder: Decoder): void {
  for (let left = decoder.readUVarInt(); left > 0; left--) {
    decoder.readUVarInt()
    decoder.forward(decoder.readUVarInt())
  }
}

/** @throws kafkajs's error of that code */
export function requireNoError(code: number): void {
  if (code !== 0) throw createErrorFromCode(code)
}
