/**
 * Appends: each topic has a producer of its own, so a topic that was deleted, or lacks replicas, neither fails nor
 * holds up appends to other topics.
 */
import type { Producer } from 'kafkajs'
import type { PartitionRecord } from './produce.ts'
import { TopicAppender } from './topic-appender.ts'

export class Appender {
  readonly #makeProducer: () => Producer
  readonly #topics = new Map<string, TopicAppender>()

  constructor(makeProducer: () => Producer) {
    this.#makeProducer = makeProducer
  }

  /** The offsets of the records, in their order. All are for this topic. */
  append(kafkaTopic: string, placed: readonly PartitionRecord[]): Promise<readonly number[]> {
    const known = this.#topics.get(kafkaTopic)
    const appender = known ?? new TopicAppender(kafkaTopic, this.#makeProducer)
    if (!known) this.#topics.set(kafkaTopic, appender)
    return appender.append(placed)
  }

  /** Discards the producer of a topic, after the appends that have begun. */
  async forget(kafkaTopic: string): Promise<void> {
    const appender = this.#topics.get(kafkaTopic)
    this.#topics.delete(kafkaTopic)
    await appender?.close()
  }

  /** Finishes the appends that have begun. */
  async close(): Promise<void> {
    await Promise.all([...this.#topics.values()].map((appender) => appender.close()))
  }
}
