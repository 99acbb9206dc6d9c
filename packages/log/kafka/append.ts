/**
 * Appends through one idempotent producer with one request in flight; records that arrive meanwhile share the next one. A producer
 * that failed is never used again: the outcome of its last request is unknown.
 */
import type { Producer } from 'kafkajs'
import { failure } from './failures.ts'
import { type PartitionRecord, send } from './produce.ts'

interface Waiting {
  readonly placed: readonly PartitionRecord[]
  resolve(offsets: readonly number[]): void
  reject(error: unknown): void
}

export class Appender {
  readonly #makeProducer: () => Producer
  readonly #waiting: Waiting[] = []
  #producer: Producer | null = null
  #sending: Promise<void> | null = null

  constructor(makeProducer: () => Producer) {
    this.#makeProducer = makeProducer
  }

  /** The offsets of the records, in their order. */
  append(placed: readonly PartitionRecord[]): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ placed, resolve, reject })
      this.#sending ??= this.#sendAll()
    })
  }

  /** Finishes the appends that have begun. */
  async close(): Promise<void> {
    await this.#sending
    await this.forget()
  }

  /** A producer keeps asking for every topic it ever wrote to, and fails when one is gone. */
  async forget(): Promise<void> {
    const producer = this.#producer
    this.#producer = null
    await producer?.disconnect().catch(() => {})
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const round = this.#waiting.splice(0)
      try {
        const producer = await this.#connected()
        const all = round.flatMap(({ placed }) => placed)
        const offsets = await send((batch) => producer.sendBatch(batch), all)
        let at = 0
        for (const { placed, resolve } of round) {
          resolve(offsets.slice(at, at + placed.length))
          at += placed.length
        }
      } catch (error) {
        for (const { reject } of round) reject(failure(error, 'appending'))
        await this.forget()
      }
    }
    this.#sending = null
  }

  async #connected(): Promise<Producer> {
    if (this.#producer) return this.#producer
    const producer = this.#makeProducer()
    await producer.connect()
    this.#producer = producer
    return producer
  }
}
