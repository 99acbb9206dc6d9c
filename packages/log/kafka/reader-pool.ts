/**
 * Readers that stay open between requests, one a topic: an end offset or a short read then costs no new connection.
 * Only for reads that end, whose fetches are answered at once; a reader that follows a topic waits in its fetches, and
 * has its own.
 */

import { CommittedEnds } from './committed-ends.ts'
import type { Connect } from './driver.ts'
import type { KafkaNames } from './names.ts'
import { TopicReader } from './topic-reader.ts'

/** A reader is replaced after this time, so that it learns of a topic that was deleted and created again elsewhere. */
const openForMs = 60_000

interface OpenReader {
  readonly reader: TopicReader
  readonly ends: CommittedEnds
}

interface Entry {
  readonly opening: Promise<OpenReader>
  users: number
  isRetired: boolean
}

export class ReaderPool {
  readonly #connect: Connect
  readonly #names: KafkaNames
  readonly #entries = new Map<string, Entry>()

  constructor(connect: Connect, names: KafkaNames) {
    this.#connect = connect
    this.#names = names
  }

  /**
   * The reader stays open for the work. After a failure the next caller gets a new one.
   * @throws LoomlogError `topic-unknown`
   */
  async *use<T>(topic: string, work: (open: OpenReader) => AsyncIterable<T>): AsyncGenerator<T> {
    const entry = this.#entry(topic)
    entry.users += 1
    try {
      yield* work(await entry.opening)
    } catch (error) {
      this.#retire(topic, entry)
      throw error
    } finally {
      entry.users -= 1
      this.#closeUnused(entry)
    }
  }

  async committedEnds(topic: string): Promise<readonly number[]> {
    for await (const ends of this.use(topic, endsOf)) return ends
    throw new Error('the reader gave no end offsets')
  }

  forget(topic: string): void {
    const entry = this.#entries.get(topic)
    if (entry) this.#retire(topic, entry)
  }

  close(): void {
    for (const topic of this.#entries.keys()) this.forget(topic)
  }

  #entry(topic: string): Entry {
    const known = this.#entries.get(topic)
    if (known) return known
    const opening = TopicReader.open(this.#connect, this.#names.topic(topic), topic).then((reader) => ({
      reader,
      ends: new CommittedEnds(reader),
    }))
    const entry: Entry = { opening, users: 0, isRetired: false }
    this.#entries.set(topic, entry)
    setTimeout(() => this.#retire(topic, entry), openForMs).unref()
    return entry
  }

  #retire(topic: string, entry: Entry): void {
    entry.isRetired = true
    if (this.#entries.get(topic) === entry) this.#entries.delete(topic)
    this.#closeUnused(entry)
  }

  #closeUnused({ opening, users, isRetired }: Entry): void {
    if (!isRetired || users > 0) return
    void opening.then(
      ({ reader }) => reader.close(),
      () => {},
    )
  }
}

async function* endsOf({ ends }: OpenReader): AsyncGenerator<readonly number[]> {
  yield await ends.now()
}
