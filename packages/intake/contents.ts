/**
 * What stands in `utterances`, as far as intake must know it: the content of every id, of the partitions that were asked for. Kept in
 * memory, some 600 bytes an utterance, and never stale: before anything is judged by it, it is read on to the end of the log. The
 * first record of an id wins, as it does for the stages.
 */
import { isLoomlogError } from '@loomlog/errors'
import { partitionOf } from '@loomlog/log/partition'
import type { Log, LogRecord } from '@loomlog/log/port'
import { contentHash } from '@loomlog/schemas/admission'
import type { Codec } from '@loomlog/schemas/codec'
import type { SourceEvent } from '@loomlog/schemas/events'

export const topic = 'utterances'

export class KnownContents {
  readonly #log: Log
  readonly #codec: Codec
  readonly #next = new Map<number, number>()
  readonly #contents = new Map<string, string>()

  constructor({ log, codec }: { readonly log: Log; readonly codec: Codec }) {
    this.#log = log
    this.#codec = codec
  }

  /** Reads what was appended to the partitions of these spaces (`tenant/space`) since the last time, by whomever. */
  async catchUp(spaces: Iterable<string>): Promise<void> {
    const count = (await this.#log.endOffsets(topic)).length
    const partitions = [...new Set([...spaces].map((space) => partitionOf(space, count)))]
    for await (const records of this.#log.read({ topic, partitions, from: this.#next, until: 'end' })) {
      for (const record of records) await this.#keep(record)
    }
  }

  /** The content hash that an id was first seen with in a space (`tenant/space`). */
  of(space: string, id: string): string | null {
    return this.#contents.get(`${space}/${id}`) ?? null
  }

  async #keep(record: LogRecord): Promise<void> {
    const event = record.key === null ? null : await this.#decode(record)
    if (event) {
      const key = `${record.key}/${event.id}`
      if (!this.#contents.has(key)) this.#contents.set(key, contentHash(event))
    }
    this.#next.set(record.partition, record.offset + 1)
  }

  /** Bytes that nobody can read are parked by the first stage, and are no reason to refuse what comes after them. */
  async #decode(record: LogRecord): Promise<SourceEvent | null> {
    try {
      return (await this.#codec.decode(record.value)) as SourceEvent
    } catch (error) {
      if (isLoomlogError(error, 'input-invalid') || isLoomlogError(error, 'schema-unknown')) return null
      throw error
    }
  }
}
