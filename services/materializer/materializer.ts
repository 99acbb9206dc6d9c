/**
 * The materializer: each topic's stream into the LanceDB tables of its view, one shard a partition. The partition's owner is the
 * shard's only writer. The view itself holds how far it has come, so it is read on from there, whatever the group says: a view that
 * was deleted is built again from the start of the log.
 */
import type { Lease, Log, LogRecord, Membership } from '@loomlog/log/port'
import type { Throttle } from '@loomlog/runtime/throttle'
import { unlessAborted } from '@loomlog/runtime/unless-aborted'
import type { Codec } from '@loomlog/schemas/codec'
import { shardUri, type TableName, type ViewTopic, viewId, viewTables } from '@loomlog/views/catalogue'
import { openShard, type WritableShard } from '@loomlog/views/shard'
import { isAllThere } from './arrival.ts'
import { forOld, patienceWith } from './patience.ts'
import { projected } from './projected.ts'
import type { Projected } from './projections.ts'
import { type VectorSource, withVectors } from './vectors.ts'

/** Large records fill a batch sooner. */
const maxBatchBytes = 16_000_000
/** After so long without a record, every table says how far it has come. */
const pollMs = 300
const idlePollMs = 5_000

export interface ViewOptions {
  readonly log: Log
  readonly codec: Codec
  readonly vectors: VectorSource
  /** Where all views stand: a folder or an object-store URI. */
  readonly views: string
  readonly topic: ViewTopic
  /** The topic as it is called in the log. */
  readonly source: string
  /** When its work may go on. */
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
  const tables: readonly TableName[] = viewTables[options.topic]
  const uri = shardUri(options.views, view, lease.partition)
  const open = () => openShard({ uri, tables, vectorSpace: options.vectors.embedder.space, mode: 'write' })
  let shard: WritableShard | null = null
  try {
    // To make tables is work: it takes longer than to write many rows to them.
    shard = await options.throttle.run(open, lease.signal)
    await new Keeper(lease, shard, tables, options).untilOver()
  } catch (error) {
    // The lease ended before its turn came.
    if (error !== lease.signal.reason) throw error
  } finally {
    await shard?.close()
  }
}

/** Where nothing stands yet, there is nothing to show. */
async function untilFirstRecord(lease: Lease): Promise<void> {
  lease.seek(0)
  while (!lease.signal.aborted) {
    const [first] = await lease.poll({ maxRecords: 1, maxWaitMs: idlePollMs })
    if (first) return
  }
}

interface Gathered {
  readonly records: readonly LogRecord[]
  /** As far as is known. */
  readonly after: 'more' | 'nothing'
}

class Keeper {
  readonly #lease: Lease
  readonly #shard: WritableShard
  readonly #tables: readonly TableName[]
  readonly #options: ViewOptions
  readonly #watermarks = new Map<TableName, number>()
  #patience = forOld

  constructor(lease: Lease, shard: WritableShard, tables: readonly TableName[], options: ViewOptions) {
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
      // To look in vain is no work: as live work, it would hold up for ever what is derived behind it.
      if (records.length > 0) await throttle.run(() => this.#apply(records, next), this.#lease.signal)
      if (after === 'nothing') await this.#catchUp(next)
    }
  }

  /** Waits for the first record, and then a little for more of them. */
  async #gather(): Promise<Gathered> {
    const { topic, throttle } = this.#options
    const records: LogRecord[] = [...(await this.#lease.poll({ maxRecords: this.#room([]), maxWaitMs: pollMs }))]
    const startedAt = performance.now()
    while (records.length > 0 && !this.#lease.signal.aborted) {
      this.#patience = patienceWith(records, { topic, isUrgent: throttle.isUrgent, now: Date.now() }) ?? this.#patience
      const { lingerMs, quietMs, until } = this.#patience
      if (until === 'all is there' && (await this.#unlessOver(isAllThere(records, this.#options)))) {
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

  /** Whoever is asked here may be away for longer than a lease can wait. */
  #unlessOver<T>(asked: Promise<T>): Promise<T> {
    return unlessAborted(asked, this.#lease.signal)
  }

  /** How many more records there may be in the batch. */
  #room(records: readonly LogRecord[]): number {
    const bytes = records.reduce((sum, { value }) => sum + value.byteLength, 0)
    const most = Math.min(this.#patience.most, this.#options.throttle.maxInFlight)
    return bytes >= maxBatchBytes ? 0 : most - records.length
  }

  async #apply(records: readonly LogRecord[], next: number): Promise<void> {
    const byTable = new Map<TableName, Projected[]>()
    for (const record of records) {
      for (const each of await projected(record, this.#options.codec)) {
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

  /** Where nothing more comes, tables that the last records did not concern say that they have seen them too. */
  async #catchUp(next: number): Promise<void> {
    for (const [table, watermark] of this.#watermarks) if (watermark < next) await this.#advance(table, [], next)
  }

  async #advance(table: TableName, changes: Awaited<ReturnType<typeof withVectors>>, watermark: number): Promise<void> {
    await this.#shard.apply({ table, changes, watermark })
    this.#watermarks.set(table, watermark)
  }
}
