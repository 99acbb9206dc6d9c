/**
 * The internal modules of kafkajs that the wire layer uses, typed: no other source file imports from `kafkajs/src`. Version 2.2.4 is pinned,
 * and is the last one. `kafkajs-cluster.ts` has the types of its cluster and broker.
 */
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { Producer, ProducerConfig } from 'kafkajs'
import type { Cluster } from './kafkajs-cluster.ts'

const require = createRequire(import.meta.url)

interface Encoder {
  buf: Buffer
  offset: number
}
const KafkaEncoder = require('kafkajs/src/protocol/encoder') as new (bytes: number) => Encoder

/** An encoder that holds these bytes: kafkajs sends them as they are. */
export function encoderOf(bytes: Buffer): Encoder {
  return Object.assign(new KafkaEncoder(1), { buf: bytes, offset: bytes.length })
}

export interface RequestCodec {
  readonly request: { readonly apiVersion: number; readonly encode: () => Promise<Encoder> }
  readonly response: {
    readonly decode: (bytes: Buffer) => Promise<unknown>
    /** @throws the error that a decoded response holds */
    readonly parse: (decoded: never) => Promise<unknown>
  }
}
export type RequestFactory = (options: unknown) => RequestCodec
export type Lookup = (apiKey: number, definition: unknown) => RequestFactory

/** Internals of a kafkajs broker. */
export interface BrokerInternals {
  /** Set again with every connection. */
  lookupRequest: Lookup
}

export const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode(code: number): Error
}

interface Codec<T> {
  encode(value: T): Buffer
  decode(bytes: Buffer): T | null
}
export const { MemberMetadata, MemberAssignment } = require('kafkajs/src/consumer/assignerProtocol') as {
  readonly MemberMetadata: Codec<{ version: number; topics: string[]; userData: Buffer }>
  readonly MemberAssignment: Codec<{ version: number; assignment: Record<string, number[]>; userData?: Buffer }>
}

export type SocketFactory = (options: object) => Socket
export const createSocketFactory = require('kafkajs/src/network/socketFactory') as () => SocketFactory

export interface WithRetrier {
  retrier: <T>(attempt: (...of: readonly unknown[]) => Promise<T>) => Promise<T>
}
export interface InternalCluster extends Cluster, WithRetrier {
  readonly brokerPool: WithRetrier & { createBroker: (options: unknown) => BrokerInternals }
}
export const KafkaCluster = require('kafkajs/src/cluster') as new (options: object) => InternalCluster

export const createProducer = require('kafkajs/src/producer') as (
  options: ProducerConfig & { readonly cluster: Cluster; readonly logger: unknown },
) => Producer

interface RequestQueue {
  readonly throttledUntil: number
  readonly pending: readonly unknown[]
  throttleCheckTimeoutId: NodeJS.Timeout | null
  checkPendingRequests(): void
  scheduleCheckPendingRequests(): void
}
const requestQueue = require('kafkajs/src/network/requestQueue') as { readonly prototype: RequestQueue }

/** kafkajs's own sets timers in the past, and Node warns of each. This one is the same with a delay of 1 ms at least. */
requestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
  if (this.throttleCheckTimeoutId !== null) return
  const throttledMs = this.throttledUntil - Date.now()
  const leastMs = this.pending.length > 0 ? 10 : 1
  const check = () => {
    this.throttleCheckTimeoutId = null
    this.checkPendingRequests()
  }
  this.throttleCheckTimeoutId = setTimeout(check, throttledMs > 0 ? throttledMs : leastMs)
}
