/**
 * Records every recall in the topic `recalls`, for feedback and audit, without delaying the response: a recall is
 * queued and written later. The queue is bounded. A recall that doesn't fit, or can't be written, is dropped, counted
 * and reported.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log, NewRecord } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { RecallServed } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import type { RecallResult } from './recall-result.ts'

const topic = 'recalls'
/** Records in the queue. */
export const maxQueued = 1_000
/** Records wait this long for others, to share an append. */
const lingerMs = 200
/** Longer queries are cut. */
const maxQueryChars = 4_000

export interface ServedRecall {
  /** `tenant/space`, each space of the request */
  readonly spaces: readonly string[]
  readonly query: string
  /** Null: no generation was live. */
  readonly generation: string | null
  readonly result: RecallResult
  /** Null: no key was needed. */
  readonly caller: string | null
  /** In ms since the epoch. */
  readonly servedAt: number
}

export interface RecorderOptions {
  readonly log: Log
  readonly codec: Codec
  onDropped(count: number, why: string): void
}

export class RecallRecorder {
  readonly #options: RecorderOptions
  #queue: NewRecord[] = []
  #writing: Promise<void> | null = null
  readonly #closing = new AbortController()
  #dropped = 0
  #recorded = 0

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  get counts(): { readonly recorded: number; readonly dropped: number } {
    return { recorded: this.#recorded, dropped: this.#dropped }
  }

  /** Returns at once and never throws. */
  record(recall: ServedRecall): void {
    const records = recall.spaces.map((space) => this.#recordOf(space, recall))
    if (this.#queue.length + records.length > maxQueued) {
      this.#drop(records.length, 'the queue is full')
      return
    }
    this.#queue.push(...records)
    this.#writing ??= this.#write()
  }

  /** Writes the rest of the queue at once. */
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

  #recordOf(key: string, { query, generation, result, caller, servedAt }: ServedRecall): NewRecord {
    const [tenant = '', space = ''] = key.split('/')
    const evidence = result.items.filter((item) => item.space === key).map((item) => item.id)
    const recordedQuery = query.slice(0, maxQueryChars).toWellFormed()
    const event: RecallServed = {
      type: 'RecallServed',
      id: hash([tenant, space, recordedQuery, evidence, servedAt]),
      tenant,
      space,
      query: recordedQuery,
      generation: generation ?? '',
      evidence,
      tokens: result.tokens,
      servedAt,
      caller,
      keyId: null,
    }
    return { key, value: this.#options.codec.encode(event), timestamp: servedAt }
  }
}
