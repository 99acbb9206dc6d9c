/**
 * Appends to one topic through one idempotent producer with one request in flight; records that arrive meanwhile share
 * the next one. A producer that failed is never used again: the outcome of its last request is unknown.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Producer } from 'kafkajs'
import { toLogError } from './failures.ts'
import { type PartitionRecord, recordSizeBound, sendRecords } from './produce.ts'

interface Waiting {
  readonly placed: readonly PartitionRecord[]
  resolve(offsets: readonly number[]): void
  reject(error: unknown): void
}

/**
 * A request, with its retries, that has no result by then fails. The driver waits 30 s for an answer, and its pauses
 * between retries take less.
 */
const defaultGiveUpMs = 60_000
/** Limit on the bytes of the appends of one round. A larger append has a round of its own. */
const roundBytes = 8_000_000

export class TopicAppender {
  readonly #kafkaTopic: string
  readonly #makeProducer: () => Producer
  readonly #giveUpMs: number
  readonly #waiting: Waiting[] = []
  #producer: Producer | null = null
  #sending: Promise<void> | null = null

  constructor(kafkaTopic: string, makeProducer: () => Producer, giveUpMs = defaultGiveUpMs) {
    this.#kafkaTopic = kafkaTopic
    this.#makeProducer = makeProducer
    this.#giveUpMs = giveUpMs
  }

  append(placed: readonly PartitionRecord[]): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ placed, resolve, reject })
      this.#sending ??= this.#sendAll()
    })
  }

  /** Finishes the appends that have begun. */
  async close(): Promise<void> {
    await this.#sending
    await this.#discardProducer()
  }

  async #sendAll(): Promise<void> {
    // Appends that begin together share the first request.
    await null
    while (this.#waiting.length > 0) await this.#sendRound(this.#nextRound())
    this.#sending = null
  }

  /** The first append, and the following ones that fit. */
  #nextRound(): readonly Waiting[] {
    let bytes = 0
    const end = this.#waiting.findIndex(({ placed }, index) => {
      bytes += placed.reduce((sum, record) => sum + recordSizeBound(record), 0)
      return index > 0 && bytes > roundBytes
    })
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end)
  }

  async #sendRound(round: readonly Waiting[]): Promise<void> {
    const written = new Map<PartitionRecord, number>()
    let failed: unknown = null
    try {
      await this.#send(
        round.flatMap(({ placed }) => placed),
        written,
      )
      // An append that shared a refused batch may fit alone.
      if (round.length > 1) for (const { placed } of round) await this.#send(placed, written)
    } catch (error) {
      failed = error
    }
    for (const { placed, resolve, reject } of round) {
      const offsets = placed.flatMap((record) => written.get(record) ?? [])
      if (offsets.length === placed.length) resolve(offsets)
      else reject(failed ?? this.#tooLarge())
    }
  }

  /** Sends the records that are not written yet. */
  async #send(placed: readonly PartitionRecord[], written: Map<PartitionRecord, number>): Promise<void> {
    const left = placed.filter((record) => !written.has(record))
    if (left.length === 0) return
    const before = written.size
    try {
      const producer = await this.#limited(() => this.#connected())
      await sendRecords((batch) => this.#limited(() => producer.sendBatch(batch)), left, written)
    } catch (error) {
      await this.#discardProducer()
      throw toLogError(error, `appending to ${this.#kafkaTopic}`, {
        operation: 'WRITE',
        kind: 'topic',
        names: [this.#kafkaTopic],
      })
    }
    // The producer counted the refused records.
    if (written.size < before + left.length) await this.#discardProducer()
  }

  /** Gives the request up, and the producer with it, once it has taken too long. */
  async #limited<T>(request: () => Promise<T>): Promise<T> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      void this.#discardProducer()
    }, this.#giveUpMs)
    try {
      return await request()
    } catch (error) {
      throw isLate ? this.#noAnswer(error) : error
    } finally {
      clearTimeout(timer)
    }
  }

  async #connected(): Promise<Producer> {
    if (this.#producer) return this.#producer
    this.#producer = this.#makeProducer()
    await this.#producer.connect()
    return this.#producer
  }

  /** Its requests fail. */
  async #discardProducer(): Promise<void> {
    const producer = this.#producer
    this.#producer = null
    await producer?.disconnect().catch(() => {})
  }

  #tooLarge(): LoomlogError {
    const message = `appending to ${this.#kafkaTopic}: the records are larger than the topic's max.message.bytes allows`
    return new LoomlogError('record-too-large', message)
  }

  #noAnswer(cause: unknown): LoomlogError {
    const message = `appending to ${this.#kafkaTopic}: no result within ${this.#giveUpMs / 1_000} s`
    return new LoomlogError('log-unavailable', message, { cause })
  }
}
