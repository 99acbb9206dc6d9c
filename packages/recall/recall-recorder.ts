/**
 * Records what was recalled in the topic `recalls`, for feedback and audit. It takes nothing of the answer's time: a served recall is only
 * put in a queue, and written some time after. The queue is bounded; what finds no place, and what can't be written, is dropped, counted
 * and told.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log, NewRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { RecallServed } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import type { Answer } from './recall-result.ts'

const topic = 'recalls'
/** Served recalls waiting to be written. */
export const maxQueued = 1_000
/** They wait this long for others, in ms. */
const lingerMs = 200
/** Of a question that is kept. */
const maxQueryChars = 4_000

export interface ServedRecall {
  /** `tenant/space`, each that was asked */
  readonly spaces: readonly string[]
  readonly query: string
  /** Null: none was live. */
  readonly generation: string | null
  readonly answer: Answer
  /** In ms since the epoch. */
  readonly servedAt: number
}

export interface RecallsOptions {
  readonly log: Log
  readonly codec: Codec
  /** Told of what was dropped, and why. */
  onDropped(count: number, why: string): void
}

export class Recalls {
  readonly #options: RecallsOptions
  #queue: NewRecord[] = []
  #writing: Promise<void> | null = null
  readonly #closing = new AbortController()
  #dropped = 0
  #recorded = 0

  constructor(options: RecallsOptions) {
    this.#options = options
  }

  get counts(): { readonly recorded: number; readonly dropped: number } {
    return { recorded: this.#recorded, dropped: this.#dropped }
  }

  /** Returns at once, whatever comes of it. */
  served(recall: ServedRecall): void {
    const records = recall.spaces.map((space) => this.#record(space, recall))
    if (this.#queue.length + records.length > maxQueued) {
      this.#drop(records.length, 'the queue is full')
      return
    }
    this.#queue.push(...records)
    this.#writing ??= this.#write()
  }

  /** Writes what is left, without waiting for more. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#writing
  }

  async #write(): Promise<void> {
    await sleep(lingerMs, undefined, { signal: this.#closing.signal }).catch(() => {})
    while (this.#queue.length > 0) {
      const records = this.#queue
      this.#queue = []
      try {
        await this.#options.log.append(topic, records)
        this.#recorded += records.length
      } catch (error) {
        this.#drop(records.length, (error as Error).message)
      }
    }
    this.#writing = null
  }

  #drop(count: number, why: string): void {
    this.#dropped += count
    this.#options.onDropped(count, why)
  }

  #record(key: string, { query, generation, answer, servedAt }: ServedRecall): NewRecord {
    const [tenant = '', space = ''] = key.split('/')
    const evidence = answer.items.filter((item) => item.space === key).map((item) => item.id)
    const asked = query.slice(0, maxQueryChars).toWellFormed()
    const id = hash([tenant, space, asked, evidence, servedAt])
    const { tokens } = answer
    const told = {
      id,
      tenant,
      space,
      query: asked,
      generation: generation ?? '',
      evidence,
      tokens,
      servedAt,
      keyId: null,
    }
    const event: RecallServed = { type: 'RecallServed', ...told }
    return { key, value: this.#options.codec.encode(event), timestamp: servedAt }
  }
}
