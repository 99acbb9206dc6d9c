/**
 * Appends answers to `completions`. Answers that come during an append share the next one, and so one fsync. An answer
 * has been paid for, so its append is retried until it succeeds or the recorder closes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import { crashPoint } from '@loomlog/log/crash-points'
import type { Log, NewRecord, Position } from '@loomlog/log/port'

interface Waiting {
  readonly record: NewRecord
  resolve(position: Position): void
  reject(error: unknown): void
}

const pauseMs = 500

export class Recorder {
  readonly #log: Log
  readonly #topic: string
  readonly #closing = new AbortController()
  #waiting: Waiting[] = []
  #appending: Promise<void> | null = null

  constructor(log: Log, topic: string) {
    this.#log = log
    this.#topic = topic
  }

  /** Durable on return. */
  append(record: NewRecord): Promise<Position> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject })
      this.#appending ??= this.#appendAll()
    })
  }

  /** Tries the waiting answers once more. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#appending
  }

  async #appendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#appendTogether(this.#waiting.splice(0))
    }
    // Synchronous with the check: a later answer starts a new append.
    this.#appending = null
  }

  async #appendTogether(answers: readonly Waiting[]): Promise<void> {
    try {
      const positions = await this.#durably(answers.map(({ record }) => record))
      for (const [index, { resolve }] of answers.entries()) resolve(positions[index] as Position)
    } catch (error) {
      // A record that is too large fails alone.
      if (answers.length === 1 || !isLoomlogError(error, 'record-too-large'))
        for (const { reject } of answers) reject(error)
      else for (const waiting of answers) await this.#appendTogether([waiting])
    }
  }

  async #durably(records: readonly NewRecord[]): Promise<readonly Position[]> {
    const { signal } = this.#closing
    for (;;) {
      try {
        crashPoint('answer.before-record')
        const positions = await this.#log.append(this.#topic, records)
        crashPoint('answer.after-record')
        return positions
      } catch (error) {
        if (signal.aborted || !isLoomlogError(error) || !error.retryable) throw error
        await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }
}
