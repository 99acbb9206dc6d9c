/**
 * The internal modules of kafkajs that the wire layer uses, typed: only this file and `kafkajs-codec.ts` import from
 * `kafkajs/src`. Version
 * 2.2.4 is pinned, and is the last one. `kafkajs-cluster.ts` has the types of its cluster and broker.
 */
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { Producer, ProducerConfig } from 'kafkajs'
import type { Cluster } from './kafkajs-cluster.ts'
import type { RequestBytes } from './kafkajs-codec.ts'

const require = createRequire(import.meta.url)

export interface RequestCodec {
  readonly request: { readonly apiVersion: number; readonly encode: () => Promise<RequestBytes> }
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
  readonly pending: readonly unknown[]
  scheduleCheckPendingRequests(): void
}
const requestQueue = require('kafkajs/src/network/requestQueue') as { readonly prototype: RequestQueue }
const { scheduleCheckPendingRequests } = requestQueue.prototype

/**
 * kafkajs also sets a timer where no request waits, for a time in the past, and Node warns of that. A request that
 * waits later sets its own.
 */
requestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this)
}
