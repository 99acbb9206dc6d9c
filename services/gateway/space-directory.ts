/**
 * The spaces of the log with their sizes: sums over the keys of the topic `utterances`. The first list reads the topic,
 * and a later one only its new records. Callers share the reading, which continues for the next list if they leave. It
 * holds some 200 bytes a space.
 */

import { endOffsetsInTime } from '@loomlog/log/end-offsets-in-time'
import { misplacementOf } from '@loomlog/log/partition'
import type { Log } from '@loomlog/log/port'
import { untilAborted } from './deadline.ts'

export interface SpaceSize {
  readonly space: string
  /** Source events: utterances, and also pauses, corrections and retractions. */
  readonly records: number
  readonly bytes: number
  /** Log times of the first and the last record. */
  readonly firstAt: number
  readonly lastAt: number
}

const topic = 'utterances'

export class SpaceDirectory {
  readonly #log: Pick<Log, 'endOffsets' | 'read'>
  /** By `tenant/space`. */
  readonly #sizes = new Map<string, SpaceSize>()
  readonly #next = new Map<number, number>()
  #reading: Promise<void> = Promise.resolve()

  constructor(log: Pick<Log, 'endOffsets' | 'read'>) {
    this.#log = log
  }

  /** In the order of their names. @throws LoomlogError `log-unavailable` within seconds; the signal's reason */
  async of(tenant: string, signal: AbortSignal): Promise<readonly SpaceSize[]> {
    this.#reading = this.#reading.catch(() => {}).then(() => this.#readOn())
    await untilAborted(this.#reading, signal)
    const own = [...this.#sizes].filter(([key]) => key.startsWith(`${tenant}/`)).map(([, size]) => size)
    return own.sort((a, b) => (a.space < b.space ? -1 : 1))
  }

  async #readOn(): Promise<void> {
    const partitions = (await endOffsetsInTime(this.#log, topic)).length
    for await (const records of this.#log.read({ topic, from: this.#next, until: 'end' })) {
      for (const record of records) {
        const { key, value, timestamp, partition, offset } = record
        this.#next.set(partition, offset + 1)
        if (key !== null && misplacementOf(record, partitions) === null) this.#add(key, value.length, timestamp)
      }
    }
  }

  #add(key: string, bytes: number, at: number): void {
    const known = this.#sizes.get(key) ?? { records: 0, bytes: 0, firstAt: at }
    const space = key.slice(key.indexOf('/') + 1)
    this.#sizes.set(key, { ...known, space, records: known.records + 1, bytes: known.bytes + bytes, lastAt: at })
  }
}
