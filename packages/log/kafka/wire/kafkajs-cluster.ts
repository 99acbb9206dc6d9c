/**
 * The parts of kafkajs's cluster and broker that are used here. They are internals of version 2.2.4, which is pinned
 * and the last one.
 */
import type { FetchResponse } from './fetch-response.ts'

export interface PartitionMetadata {
  readonly partitionId: number
  readonly leader: number
  readonly replicas: readonly number[]
}

export interface Cluster {
  connect(): Promise<void>
  disconnect: () => Promise<void>
  refreshMetadata(): Promise<void>
  addTargetTopic(topic: string): Promise<void>
  findTopicPartitionMetadata(topic: string): readonly PartitionMetadata[]
  findBroker(options: { readonly nodeId: string }): Promise<Broker>
  findControllerBroker(): Promise<Broker>
  findGroupCoordinator(options: { readonly groupId: string }): Promise<Broker>
}

export interface FetchPartition {
  readonly partition: number
  readonly fetchOffset: number
  readonly maxBytes: number
}

export interface ListedOffset {
  readonly partition: number
  readonly offset: string
}

interface Member {
  readonly memberId: string
  readonly memberMetadata: Buffer
}

export interface TopicMetadata {
  readonly topic: string
  readonly partitionMetadata: readonly PartitionMetadata[]
}

export interface RequestConnection {
  readonly connectionPool: {
    send<T>(protocol: { readonly request: object; readonly response: object }): Promise<T>
  }
}

export interface Broker extends RequestConnection {
  /** Of all topics, where none is named. */
  metadata(topics: readonly string[]): Promise<{
    readonly brokers: readonly { readonly nodeId: number }[]
    readonly topicMetadata: readonly TopicMetadata[]
  }>
  deleteTopics(request: { readonly topics: readonly string[] }): Promise<unknown>
  fetch(request: {
    readonly isolationLevel: number
    readonly maxWaitTime: number
    readonly minBytes: number
    readonly maxBytes: number
    readonly topics: readonly { readonly topic: string; readonly partitions: readonly FetchPartition[] }[]
  }): Promise<FetchResponse>
  listOffsets(request: {
    readonly isolationLevel: number
    readonly topics: readonly {
      readonly topic: string
      readonly partitions: readonly { readonly partition: number; readonly timestamp: number }[]
    }[]
  }): Promise<{ readonly responses: readonly { readonly partitions: readonly ListedOffset[] }[] }>
  joinGroup(request: {
    readonly groupId: string
    readonly sessionTimeout: number
    readonly rebalanceTimeout: number
    readonly memberId: string
    readonly groupProtocols: readonly { readonly name: string; readonly metadata: Buffer }[]
  }): Promise<{
    readonly generationId: number
    readonly leaderId: string
    readonly memberId: string
    readonly members: readonly Member[]
  }>
  syncGroup(request: {
    readonly groupId: string
    readonly generationId: number
    readonly memberId: string
    readonly groupAssignment: readonly { readonly memberId: string; readonly memberAssignment: Buffer }[]
  }): Promise<{ readonly memberAssignment: Buffer }>
  heartbeat(request: {
    readonly groupId: string
    readonly groupGenerationId: number
    readonly memberId: string
  }): Promise<unknown>
  leaveGroup(request: { readonly groupId: string; readonly memberId: string }): Promise<unknown>
}
