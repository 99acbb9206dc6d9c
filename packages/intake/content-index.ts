/**
 * The content hash of every id in `utterances`, by space: a local index over the log, in one SQLite file that may be
 * deleted at any time. Its memory is bounded for a log of any length. The newest entries wait in memory
 * (content-buffer.ts).
 *
 * Invariants:
 * 1. An event is judged only after the index has read the event's partition up to its end, or up to an end that was
 *    read less than `log.maxEndAgeMs` ago. `addAppended` returns the partitions in which others appended in between.
 * 2. The index is filled in log order and never overwritten, so the first record of an id wins, as it does for the
 *    stages.
 * 3. A forgetting makes the ids before it in its space unknown, and erases them from the file.
 * 4. Checkpoints name the log and the last record of each partition that has entries. The index is emptied if the log
 *    doesn't continue any of them: it is another log, whose number of partitions may differ, or an older copy.
 */
import { isLoomlogError } from '@loomlog/errors'
import { type Checkpoint, checkpointAfter, continuityOf } from '@loomlog/log/checkpoint'
import { isDamage } from '@loomlog/log/disposable-file'
import { misplacementOf, partitionOf } from '@loomlog/log/partition'
import type { Log, LogRecord, Position } from '@loomlog/log/port'
import { contentHash } from '@loomlog/schemas/admission'
import type { Codec } from '@loomlog/schemas/codec'
import type { SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { noteTextCache } from '@loomlog/text-caches'
import { ContentBuffer, maxBufferedEntries } from './content-buffer.ts'
import { ContentFile, contentFileName, spaceOfId } from './content-file.ts'
import { type KeyedEvent, toKeyedEvent } from './duplicates.ts'

export const indexedTopic = 'utterances'

export interface ContentIndexOptions {
  readonly log: Log
  readonly codec: Codec
  /** The folder of this log's local files. */
  readonly dir: string
  /** Reports that the index is rebuilt, and why. */
  notify?(message: string): void
}

/** An entry of the index with its record. */
export interface AppendedEvent {
  readonly key: string
  readonly content: string
  readonly record: Omit<LogRecord, keyof Position>
  readonly position: Position
}

interface Topic {
  readonly identity: string
  readonly partitions: number
}

export class ContentIndex {
  readonly #log: Log
  readonly #codec: Codec
  readonly #file: ContentFile
  readonly #notify: (message: string) => void
  readonly #buffer = new ContentBuffer()
  /** The checkpoints that the file has once the buffered entries are in it. */
  readonly #checkpoints = new Map<number, Checkpoint>()
  /** The end of this process's own records, by partition. */
  readonly #ends = new Map<number, number>()
  /** By space, the offset of the last forgetting that was read. */
  readonly #forgotten = new Map<string, number>()
  /** When the index last held everything up to the end of a partition. */
  readonly #completeAt = new Map<number, number>()
  #topic: Topic | null = null
  #isWritable = true
  #isClosed = false

  constructor({ log, codec, dir, notify = () => {} }: ContentIndexOptions) {
    this.#log = log
    this.#codec = codec
    this.#notify = notify
    this.#file = new ContentFile({ dir, sealing: log.sealing, onRebuild: (message) => this.#onRebuild(message) })
    noteTextCache(this)
  }

  /** Reads the new records of the partitions of these spaces (`tenant/space`), whichever process appended them. */
  async catchUp(spaces: ReadonlySet<string>): Promise<void> {
    if (this.#buffer.isFull) this.#writeSlice(0)
    const { partitions: count } = await this.#opened()
    const partitions = new Set([...spaces].map((space) => partitionOf(space, count)))
    const oldest = performance.now() - this.#log.maxEndAgeMs
    await this.readToEnd(
      [...partitions].filter((partition) => (this.#completeAt.get(partition) ?? Number.NEGATIVE_INFINITY) <= oldest),
    )
  }

  /** Returns the position of the first record that it read of each sought id. */
  async readToEnd(
    partitions: readonly number[],
    sought: ReadonlySet<string> = new Set(),
  ): Promise<ReadonlyMap<string, Position>> {
    const firstPositions = new Map<string, Position>()
    if (partitions.length === 0) return firstPositions
    const startedAt = performance.now()
    const from = new Map(partitions.map((partition) => [partition, this.#next(partition)]))
    try {
      for await (const records of this.#log.read({ topic: indexedTopic, partitions, from, until: 'end' }))
        for (const { key, position } of await this.#add(records))
          if (sought.has(key) && !firstPositions.has(key)) firstPositions.set(key, position)
      for (const partition of partitions) this.#completeAt.set(partition, startedAt)
      return firstPositions
    } catch (error) {
      // The next request compares the file with the log, and reads the log from its beginning.
      if (isLoomlogError(error, 'log-replaced')) this.#onReplaced((error as Error).message)
      throw error
    }
  }

  /** The content hashes that those of the ids that are in the log were first seen with. */
  contentsOf(keys: readonly string[]): ReadonlyMap<string, string> {
    const contents = new Map<string, string>()
    const ids = new Map(keys.map((key) => [key, this.#idOf(key)]))
    const inFile = this.#file.contentsOf([...ids.values()])
    for (const [key, id] of ids) {
      const content = inFile.get(id) ?? this.#buffer.contentOf(id, this.#forgotten.get(spaceOfId(id)))
      if (content !== null) contents.set(key, content)
    }
    return contents
  }

  /** The hash of an event's content; a keyed one beside an encrypted log, since a short text can be guessed. */
  contentOf({ event, key }: Pick<KeyedEvent, 'event' | 'key'>): string {
    const content = contentHash(event)
    return this.#log.sealing?.name(`${key} ${content}`) ?? content
  }

  /**
   * Notes events that were appended, so that they need not be read back. Events after another process's record in the
   * same partition must be read back, since the index is filled in log order: returns the partitions with such records,
   * for `readToEnd`.
   */
  addAppended(appended: readonly AppendedEvent[]): readonly number[] {
    const overtaken: number[] = []
    for (const [partition, inPartition] of Map.groupBy(appended, ({ position }) => position.partition)) {
      this.#ends.set(partition, (inPartition.at(-1)?.position.offset ?? 0) + 1)
      const next = this.#next(partition)
      const inOrder = inPartition.filter(({ position }, at) => position.offset === next + at)
      for (const each of inOrder) this.#keep(each)
      const last = inOrder.at(-1)
      if (last) this.#moveTo({ ...last.record, ...last.position })
      if (inOrder.length < inPartition.length) overtaken.push(partition)
      else this.#completeAt.set(partition, performance.now())
    }
    return overtaken
  }

  /** After an append with an unknown outcome: the next one reads up to the end. */
  forgetEnds(): void {
    this.#completeAt.clear()
  }

  /** Writes older entries to the file while these are appended, so that the two share the time. */
  async writeWhile<T>(appending: Promise<T>, entries: number): Promise<T> {
    try {
      this.#writeSlice(entries)
    } catch (error) {
      await appending
      throw error
    }
    return await appending
  }

  /** A position, `partition@offset`, after every indexed event of the space. */
  async positionIn(space: string): Promise<string> {
    const partition = partitionOf(space, (await this.#opened()).partitions)
    return `${partition}@${Math.max(this.#next(partition), this.#ends.get(partition) ?? 0)}`
  }

  /** Ids wait in memory for the file, which takes none that is forgotten. */
  forgetTexts(): void {
    if (this.#isClosed) return
    try {
      this.#buffer.writeAll(this.#file, this.#checkpoints)
    } catch (error) {
      // The entries are in the log, and the notice of the damaged file is given.
      if (!isLoomlogError(error)) throw error
    }
  }

  close(): void {
    this.forgetTexts()
    this.#isClosed = true
    this.#file.close()
  }

  /** The id of a key in the file. */
  #idOf(key: string): string {
    const { sealing } = this.#log
    return sealing === null ? key : `${spaceOfId(key)}/${sealing.name(key)}`
  }

  #keep({ key, content, position }: Omit<AppendedEvent, 'record'>): void {
    const id = this.#idOf(key)
    this.#buffer.add({ id, content, offset: position.offset }, this.#forgotten.get(spaceOfId(id)))
  }

  #forget(space: string, offset: number): void {
    this.#file.forget(space, offset)
    this.#forgotten.set(space, offset)
  }

  /** The file is empty: everything is read from the log again. */
  #onRebuild(message: string): void {
    this.#forgetEntries()
    this.#notify(message)
  }

  #forgetEntries(): void {
    this.#buffer.clear()
    this.#checkpoints.clear()
    this.#completeAt.clear()
    this.#forgotten.clear()
  }

  #onReplaced(why: string): void {
    this.#onRebuild(`${contentFileName} was made from another log (${why}): it is rebuilt`)
    this.#topic = null
    this.#ends.clear()
  }

  async #opened(): Promise<Topic> {
    if (this.#topic !== null) return this.#topic
    await this.#clearOther()
    const identity = await this.#log.identity(indexedTopic)
    this.#topic = { identity, partitions: (await this.#log.endOffsets(indexedTopic)).length }
    return this.#topic
  }

  /** Empties the file if it was made from another log. */
  async #clearOther(): Promise<void> {
    for (const [partition, checkpoint] of this.#file.checkpoints('started')) {
      const found = await continuityOf(this.#log, { topic: indexedTopic, partition }, checkpoint)
      if (found.kind === 'replaced' && this.#file.clear(partition, checkpoint)) return this.#onReplaced(found.reason)
    }
  }

  #next(partition: number): number {
    const known = this.#checkpoints.get(partition) ?? this.#file.checkpoints('complete').get(partition)
    if (known) this.#checkpoints.set(partition, known)
    return known?.offset ?? 0
  }

  async #add(records: readonly LogRecord[]): Promise<readonly { key: string; position: Position }[]> {
    const read: { key: string; content: string; position: Position }[] = []
    for (const record of records) {
      const event = await this.#decoded(record)
      if (event === null) continue
      const { space, key } = toKeyedEvent(event)
      if (event.type === 'SubjectForgotten') this.#forget(space, record.offset)
      const entry = { key, content: this.contentOf({ event, key }), position: record }
      this.#keep(entry)
      read.push(entry)
    }
    const last = records.at(-1)
    if (last === undefined) return read
    this.#moveTo(last)
    this.#writeSlice(records.length)
    return read
  }

  /**
   * While the disk is full or the file is locked, entries stay in memory, and the file keeps its checkpoints.
   * @throws LoomlogError `index-unavailable` if memory is full too, or if the file was damaged
   */
  #writeSlice(entries: number): void {
    try {
      this.#buffer.writeSlice(this.#file, this.#checkpoints, entries)
      this.#isWritable = true
    } catch (error) {
      if (!isLoomlogError(error, 'index-unavailable') || isDamage(error.cause) || this.#buffer.isFull) throw error
      if (this.#isWritable) this.#notify(`${error.message}: new entries stay in memory, at most ${maxBufferedEntries}`)
      this.#isWritable = false
    }
  }

  #moveTo(last: LogRecord): void {
    this.#checkpoints.set(last.partition, checkpointAfter(this.#topic?.identity ?? '', last))
  }

  /**
   * Null for undecodable bytes and for records under another space's key or in a wrong partition: the first stage parks
   * them, and they are no reason to refuse later ones.
   */
  async #decoded(record: LogRecord): Promise<SourceEvent | null> {
    if (misplacementOf(record, (await this.#opened()).partitions) !== null) return null
    const event = (await this.#codec.decodeOwn(record.value)) as SourceEvent | null
    return event !== null && record.key === spaceKey(event.tenant, event.space) ? event : null
  }
}
