/**
 * The materializer: each topic's stream into the tables of its view, one shard per partition. The partition's owner is the shard's only
 * writer. The view holds its own watermark and is read on from there, and not from the group's position: a view that was deleted is built
 * again from the start of the log.
 */
import type { Lease, Log, LogRecord, Membership } from '@loomlog/log/port'
import type { Throttle } from '@loomlog/runtime/throttle'
import { unlessAborted } from '@loomlog/runtime/unless-aborted'
import type { Codec } from '@loomlog/schemas/codec'
import { tablesOf, viewId } from '@loomlog/views/catalogue'
import type { ViewStore, WritableShard } from '@loomlog/views/port'
import { project, type TableProjection } from '@loomlog/views/project'
import type { Table } from '@loomlog/views/table'
import { isEndOfInput } from './end-of-input.ts'
import { batchingFor, batchingOfOld } from './merge-batching.ts'
import { type VectorSource, withVectors } from './vectors.ts'

/** Large records fill a batch sooner. */
const maxBatchBytes = 16_000_000
/** After so long without a record, every table's watermark advances to the last record read. */
const pollMs = 300
const idlePollMs = 5_000

export interface ViewOptions {
  readonly log: Log
  readonly codec: Codec
  readonly vectors: VectorSource
  readonly store: ViewStore
  /** Of the catalogue. */
  readonly topic: string
  /** The topic as it is called in the log. */
  readonly source: string
  /** Delays a background view while live views have work. */
  readonly throttle: Throttle
  readonly sessionMs?: number
  /** Ends it, also while it joins. */
  readonly signal?: AbortSignal
  onError(error: unknown): void
}

/** Keeps one topic's view up to date until the membership is closed. */
export async function materialize(options: ViewOptions): Promise<Membership> {
  const view = viewId(options.source, options.vectors.embedder.space.name)
  return options.log.join({
    group: `materializer.${view}`,
    topic: options.source,
    ...(options.sessionMs === undefined ? {} : { sessionMs: options.sessionMs }),
    onLease: (lease) => keepShard(lease, view, options),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    onError: options.onError,
  })
}

async function keepShard(lease: Lease, view: string, options: ViewOptions): Promise<void> {
  await untilFirstRecord(lease)
  if (lease.signal.aborted) return
  const tables = tablesOf(options.topic)
  const vectorSpace = options.vectors.embedder.space
  const open = () => options.store.write({ view, partition: lease.partition, tables, vectorSpace })
  let shard: WritableShard | null = null
  try {
    // Tables are made under the throttle: that takes longer than writing many rows to them.
    shard = await options.throttle.run(open, lease.signal)
    await new Keeper(lease, shard, tables, options).untilOver()
  } catch (error) {
    // The lease ended before its turn came.
    if (error !== lease.signal.reason) throw error
  } finally {
    await shard?.close()
  }
}

/** A partition without a record gets no tables. */
async function untilFirstRecord(lease: Lease): Promise<void> {
  lease.seek(0)
  while (!lease.signal.aborted) {
    const [first] = await lease.poll({ maxRecords: 1, maxWaitMs: idlePollMs })
    if (first) return
  }
}

interface Batch {
  readonly records: readonly LogRecord[]
  /** `nothing`: the input is at its end, as far as is known. */
  readonly after: 'more' | 'nothing'
}

class Keeper {
  readonly #lease: Lease
  readonly #shard: WritableShard
  readonly #tables: readonly Table[]
  readonly #options: ViewOptions
  readonly #watermarks = new Map<Table, number>()
  #batching = batchingOfOld

  constructor(lease: Lease, shard: WritableShard, tables: readonly Table[], options: ViewOptions) {
    this.#lease = lease
    this.#shard = shard
    this.#tables = tables
    this.#options = options
  }

  async untilOver(): Promise<void> {
    await this.#unlessOver(this.#options.vectors.book.follow(this.#lease.partition))
    for (const table of this.#tables) this.#watermarks.set(table, (await this.#shard.watermark(table)).offset)
    let next = Math.min(...this.#watermarks.values())
    this.#lease.seek(next)
    while (!this.#lease.signal.aborted) {
      const { records, after } = await this.#gather()
      next = Math.max(next, (records.at(-1)?.offset ?? -1) + 1)
      const { throttle } = this.#options
      // A poll that finds nothing stays outside the throttle: as live work, it would hold up background derivations for ever.
      if (records.length > 0) await throttle.run(() => this.#apply(records, next), this.#lease.signal)
      if (after === 'nothing') await this.#catchUp(next)
    }
  }

  /** Waits for the first record, and then as long as merge batching says for more. */
  async #gather(): Promise<Batch> {
    const { topic, throttle } = this.#options
    const records: LogRecord[] = [...(await this.#lease.poll({ maxRecords: this.#room([]), maxWaitMs: pollMs }))]
    const startedAt = performance.now()
    while (records.length > 0 && !this.#lease.signal.aborted) {
      this.#batching = batchingFor(records, { topic, isUrgent: throttle.isUrgent, now: Date.now() }) ?? this.#batching
      const { lingerMs, quietMs, until } = this.#batching
      if (until === 'end of input' && (await this.#unlessOver(isEndOfInput(records, this.#options)))) {
        return { records, after: 'nothing' }
      }
      const leftMs = startedAt + lingerMs - performance.now()
      const maxRecords = this.#room(records)
      if (leftMs <= 0 || maxRecords <= 0) break
      const more = await this.#lease.poll({ maxRecords, maxWaitMs: Math.min(leftMs, quietMs) })
      if (more.length === 0) break
      records.push(...more)
    }
    return { records, after: records.length === 0 ? 'nothing' : 'more' }
  }

  /** An endpoint may be away for longer than a lease can wait. */
  #unlessOver<T>(work: Promise<T>): Promise<T> {
    return unlessAborted(work, this.#lease.signal)
  }

  /** How many more records there may be in the batch. */
  #room(records: readonly LogRecord[]): number {
    const bytes = records.reduce((sum, { value }) => sum + value.byteLength, 0)
    const most = Math.min(this.#batching.maxRecords, this.#options.throttle.maxInFlight)
    return bytes >= maxBatchBytes ? 0 : most - records.length
  }

  async #apply(records: readonly LogRecord[], next: number): Promise<void> {
    const byTable = new Map<Table, TableProjection[]>()
    for (const record of records) {
      const event = await this.#options.codec.decodeOrNull(record.value)
      for (const each of event === null ? [] : project(event, record)) {
        const of = byTable.get(each.table)
        if (of) of.push(each)
        else byTable.set(each.table, [each])
      }
    }
    for (const [table, all] of byTable) {
      const changes = await this.#unlessOver(withVectors(all, this.#options.vectors, this.#lease.signal))
      await this.#advance(table, changes, next)
    }
  }

  /** At the end of the input, tables that the last records did not change move their watermark too. */
  async #catchUp(next: number): Promise<void> {
    for (const [table, watermark] of this.#watermarks) if (watermark < next) await this.#advance(table, [], next)
  }

  async #advance(table: Table, changes: Awaited<ReturnType<typeof withVectors>>, watermark: number): Promise<void> {
    await this.#shard.apply({ table, changes, watermark })
    this.#watermarks.set(table, watermark)
  }
}
