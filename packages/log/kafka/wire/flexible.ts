/**
 * Requests that kafkajs doesn't know, sent on its connections. They are of "flexible" versions: lengths are varints
 * with one added, and every structure ends with tagged fields, which are empty here. kafkajs writes and reads headers
 * without tagged fields, so each body begins with those of its header.
 */
import { type Cursor, unsignedVarint } from './cursor.ts'
import type { RequestConnection } from './kafkajs-cluster.ts'
import { createErrorFromCode, encoderOf } from './kafkajs-internals.ts'

export interface FlexibleRequest<T> {
  readonly apiKey: number
  readonly apiName: string
  readonly apiVersion: number
  readonly body: Buffer
  /** Reads the response, and checks its error codes with `requireNoError`. */
  read(cursor: Cursor): T
}

export const noTags = Buffer.of(0)

export function sendFlexible<T>(broker: RequestConnection, { body, read, ...named }: FlexibleRequest<T>): Promise<T> {
  const bytes = Buffer.concat([noTags, body, noTags])
  const encode = async () => encoderOf(bytes)
  const parse = async (answer: Buffer) => {
    const cursor = { bytes: answer, at: 0 }
    skipTags(cursor)
    return read(cursor)
  }
  const response = { decode: async (answer: Buffer) => answer, parse }
  return broker.connectionPool.send<T>({ request: { ...named, encode }, response })
}

/** @throws kafkajs's error of that code */
export function requireNoError(code: number): void {
  if (code !== 0) throw createErrorFromCode(code)
}

export function compactText(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([lengthPlusOne(bytes.length), bytes])
}

export function compactList(items: readonly Buffer[]): Buffer {
  return Buffer.concat([lengthPlusOne(items.length), ...items])
}

function lengthPlusOne(length: number): Buffer {
  const bytes: number[] = []
  let left = length + 1
  for (; left > 0x7f; left >>>= 7) bytes.push((left & 0x7f) | 0x80)
  return Buffer.from([...bytes, left])
}

/** An empty text for null. */
export function readText(cursor: Cursor): string {
  const length = unsignedVarint(cursor) - 1
  const from = cursor.at
  cursor.at += Math.max(0, length)
  return cursor.bytes.toString('utf8', from, cursor.at)
}

/** An empty list for null. */
export function readList<T>(cursor: Cursor, item: () => T): readonly T[] {
  return Array.from({ length: Math.max(0, unsignedVarint(cursor) - 1) }, item)
}

export function skipTags(cursor: Cursor): void {
  for (let left = unsignedVarint(cursor); left > 0; left--) {
    unsignedVarint(cursor)
    const length = unsignedVarint(cursor)
    cursor.at += length
  }
}
