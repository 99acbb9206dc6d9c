/**
 * The identity of a topic: the id of the cluster and the id that Kafka gives a topic when it is made. kafkajs asks for metadata up to
 * version 6, and topics have ids from version 10 on, so the request is written and its answer read here.
 *
 * Metadata request (version 10) => tags [topics] allow_auto_topic_creation include_cluster_authorized include_topic_authorized tags
 *   topics => topic_id name tags
 * Metadata response (version 10) => tags throttle_time_ms [brokers] cluster_id controller_id [topics] …
 *   brokers => node_id host port rack tags
 *   topics => error_code name topic_id …
 */
import { createRequire } from 'node:module'
import { LoomlogError } from '@loomlog/errors'

/** Internals of a kafkajs broker. */
export interface Sending {
  readonly connectionPool: {
    send<T>(protocol: { readonly request: object; readonly response: object }): Promise<T>
  }
}

const metadataKey = 3
const version = 10
const uuidBytes = 16
const require = createRequire(import.meta.url)
const KafkaEncoder = require('kafkajs/src/protocol/encoder') as new (bytes: number) => { buf: Buffer; offset: number }
const { createErrorFromCode } = require('kafkajs/src/protocol/error') as { createErrorFromCode(code: number): Error }

/** @throws what kafkajs makes of the broker's error code, for a topic that is unknown */
export function topicIdentity(broker: Sending, kafkaTopic: string): Promise<string> {
  const body = requestBody(kafkaTopic)
  const request = {
    apiKey: metadataKey,
    apiName: 'Metadata',
    apiVersion: version,
    encode: async () => Object.assign(new KafkaEncoder(1), { buf: body, offset: body.length }),
  }
  const response = { decode: async (bytes: Buffer) => bytes, parse: async (bytes: Buffer) => identityIn(bytes) }
  return broker.connectionPool.send<string>({ request, response })
}

/** It begins with the tags of the request's header, which kafkajs doesn't write. */
function requestBody(topic: string): Buffer {
  const name = Buffer.from(topic)
  const noTags = Buffer.from([0])
  const flags = Buffer.from([0, 0, 0])
  const oneTopic = Buffer.from([2])
  return Buffer.concat([
    noTags,
    oneTopic,
    Buffer.alloc(uuidBytes),
    varint(name.length + 1),
    name,
    noTags,
    flags,
    noTags,
  ])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left > 0x7f; left >>>= 7) bytes.push((left & 0x7f) | 0x80)
  return Buffer.from([...bytes, left])
}

function identityIn(bytes: Buffer): string {
  const read = new Reader(bytes)
  read.varint()
  read.skip(4)
  for (let brokers = read.varint() - 1; brokers > 0; brokers -= 1) {
    read.skip(4)
    read.text()
    read.skip(4)
    read.text()
    read.varint()
  }
  const cluster = read.text()
  read.skip(4)
  if (read.varint() < 2) throw new LoomlogError('log-unavailable', 'a broker answered for no topic')
  const code = read.int16()
  if (code !== 0) throw createErrorFromCode(code)
  read.text()
  return `${cluster}/${read.bytes(uuidBytes).toString('base64url')}`
}

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  skip(count: number): void {
    this.#at += count
  }

  bytes(count: number): Buffer {
    this.skip(count)
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  int16(): number {
    this.skip(2)
    return this.#bytes.readInt16BE(this.#at - 2)
  }

  varint(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes.readUInt8(this.#at)
      this.skip(1)
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }

  /** Its length is written with one added; 0: there is none. */
  text(): string {
    return this.bytes(Math.max(0, this.varint() - 1)).toString('utf8')
  }
}
