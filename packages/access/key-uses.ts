/**
 * Records in which hours API keys are used, in the topic `key-uses`. A process writes each key at most once an hour, in
 * the background: no request waits for it. Keys that are used close to each other share a record. A record that can't
 * be written is reported, and written later.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import { isEvent } from '@loomlog/schemas/events'

const topic = 'key-uses'
const hourMs = 3_600_000
/** Time from the first use to its record: in the first minute of an hour most keys share a few records. */
const defaultLingerMs = 10_000
const retryMs = 60_000
/** Longest wait of a close for the last record: a log that is away must not hold up the end of the process. */
const closeMs = 3_000

export interface KeyUsesOptions {
  readonly log: Log
  readonly codec: Codec
  readonly lingerMs?: number
  /** Reports a temporary failure. */
  onDelayed(why: string): void
}

export class KeyUses {
  readonly #options: KeyUsesOptions
  /** The newest hour of each key. */
  readonly #noted = new Map<string, number>()
  #unwritten = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: KeyUsesOptions) {
    this.#options = options
  }

  /** Returns at once. @param at in ms since the epoch */
  note(id: string, at = Date.now()): void {
    const hour = at - (at % hourMs)
    if (this.#noted.get(id) === hour) return
    this.#noted.set(id, hour)
    this.#unwritten.set(id, hour)
    this.#writeAfter(this.#options.lingerMs ?? defaultLingerMs)
  }

  /** Writes the rest, if the log takes it within seconds. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const written = new AbortController()
    const { signal } = written
    const late = sleep(closeMs, undefined, { signal }).catch(() => {})
    await Promise.race([this.#writing.then(() => this.#write()), late])
    written.abort()
  }

  #writeAfter(ms: number): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#writing = this.#writing.then(() => this.#write())
    }, ms).unref()
  }

  async #write(): Promise<void> {
    const uses = this.#unwritten
    if (uses.size === 0) return
    this.#unwritten = new Map()
    const { log, codec, onDelayed } = this.#options
    const byHour = Map.groupBy(uses.keys(), (id) => uses.get(id) ?? 0)
    const records = [...byHour].map(([hour, ids]) => ({
      key: null,
      partition: 0,
      value: codec.encode({ type: 'KeysUsed', ids, hour }),
      timestamp: hour,
    }))
    try {
      await log.append(topic, records)
    } catch (error) {
      // Newer uses replace those that were not written.
      this.#unwritten = new Map([...uses, ...this.#unwritten])
      onDelayed((error as Error).message)
      this.#writeAfter(retryMs)
    }
  }
}

/** By key, the beginning of the last hour in which it was used. */
export async function readKeyUses({ log, codec }: Pick<KeyUsesOptions, 'log' | 'codec'>) {
  const uses = new Map<string, number>()
  try {
    for await (const records of log.read({ topic, until: 'end' })) {
      for (const { value } of records) {
        const event = await codec.decode(value)
        if (!isEvent('KeysUsed', event)) continue
        for (const id of event.ids) uses.set(id, Math.max(event.hour, uses.get(id) ?? 0))
      }
    }
  } catch (error) {
    // A log of an earlier version that is read only.
    if (!isLoomlogError(error, 'topic-unknown')) throw error
  }
  return uses
}
