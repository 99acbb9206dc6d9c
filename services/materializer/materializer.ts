/**
 * The materializer writes each topic's stream into the tables of its view, one shard per partition. The partition's
 * owner is the shard's only writer. A shard resumes at its own watermark, not at the group's position: a deleted one is
 * rebuilt from the start of the log. So is a shard that can't be read, and one whose checkpoint shows another log.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { type Checkpoint, checkpointAfter } from '@loomlog/log/checkpoint'
import { misplacementOf } from '@loomlog/log/partition'
import type { Lease, Log, LogRecord, Membership } from '@loomlog/log/port'
import type { Throttle } from '@loomlog/runtime/throttle'
import { unlessAborted } from '@loomlog/runtime/unless-aborted'
import type { Codec } from '@loomlog/schemas/codec'
import { endUncommitted, processSpan } from '@loomlog/telemetry/record-spans'
import type { Span } from '@loomlog/telemetry/spans'
import { viewId } from '@loomlog/views/catalogue'
import { replacedLogReason } from '@loomlog/views/continuity'
import type { ViewStore, WritableShard } from '@loomlog/views/port'
import { projectAll, type TableProjection } from '@loomlog/views/project'
import type { Table } from '@loomlog/views/table'
import { isEndOfInput } from './end-of-input.ts'
import { batchingFor, batchingOfOld } from './merge-batching.ts'
import { type VectorSource, withVectors } from './vectors.ts'

/** The limit of a batch in bytes, beside its limit of records. */
const maxBatchBytes = 16_000_000
/**
 * The longest wait for a record. After a poll without one, every table's watermark advances to the last record read.
 */
const pollMs = 300
const idlePollMs = 5_000
/** Poll interval of a quiet shard's watermarks. */
const lookMs = 5_000
/**
 * A shard that is damaged again after this many attempts has another cause, such as the disk: the lease is given up.
 */
const maxRemade = 3

export interface ViewOptions {
  readonly log: Log
  readonly codec: Codec
  readonly vectors: VectorSource
  readonly store: ViewStore
  /** The topic's name in the catalogue. */
  readonly topic: string
  /** The tables that are made from the topic. */
  readonly tables: readonly Table[]
  /** The topic's name in the log. */
  readonly source: string
  /** Of the topic. */
  readonly partitions: number
  /** Delays a background view while live views have work. */
  readonly throttle: Throttle
  readonly sessionMs?: number
  /** Ends the work, also during the join. */
  readonly signal?: AbortSignal
  /** Reports a shard that is rebuilt, and why. */
  onRebuild(message: string): void
  onError(error: unknown): void
}

/** Keeps one topic's view up to date until the membership is closed. */
export async function materialize(options: ViewOptions): Promise<Membership> {
  const view = viewId(options.source, options.vectors.embedder.vectorSpace.name)
  return options.log.join({
    group: groupOf(options),
    topic: options.source,
    ...(options.sessionMs === undefined ? {} : { sessionMs: options.sessionMs }),
    onLease: (lease) => keepShard(lease, view, options),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    onError: options.onError,
  })
}

function groupOf({ source, vectors }: ViewOptions): string {
  return `materializer.${viewId(source, vectors.embedder.vectorSpace.name)}`
}

async function keepShard(lease: Lease, view: string, options: ViewOptions): Promise<void> {
  await untilFirstRecord(lease)
  for (let remade = 0; !lease.signal.aborted; remade += 1) {
    const why = await keepUntilDamaged(lease, view, options)
    if (why === null) return
    if (remade === maxRemade)
      throw new LoomlogError('view-unavailable', `the view of ${options.source} stays damaged: ${why}`)
    options.onRebuild(`the view of ${options.source}/${lease.partition} is rebuilt: ${why}`)
    await options.store.discard(view, lease.partition)
  }
}

/** Null: the lease ended. Otherwise the reason why the shard must be rebuilt. */
async function keepUntilDamaged(lease: Lease, view: string, options: ViewOptions): Promise<string | null> {
  const { tables } = options
  const vectorSpace = options.vectors.embedder.vectorSpace
  const open = () => options.store.write({ view, partition: lease.partition, tables, vectorSpace })
  let shard: WritableShard | null = null
  try {
    // Tables are made under the throttle, since that takes longer than writing many rows.
    shard = await options.throttle.run(open, lease.signal)
    const keeper = new Keeper(lease, shard, tables, options)
    const replaced = await keeper.begin()
    if (replaced !== null) return `it was made from another log (${replaced})`
    await keeper.untilOver().finally(() => keeper.endSpans(endUncommitted))
    return null
  } catch (error) {
    if (isLoomlogError(error, 'view-corrupt')) return error.message
    // The lease ended while this waited for the throttle or for an endpoint.
    if (error !== lease.signal.reason) throw error
    return null
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
  /** After the last record read. */
  #checkpoint: Checkpoint | null = null
  #identity = ''
  #lookedAt = performance.now()
  #mergedAt = Number.NEGATIVE_INFINITY
  #batching = batchingOfOld
  /** Spans of the records that are read and not merged yet. */
  #spans: Span[] = []

  constructor(lease: Lease, shard: WritableShard, tables: readonly Table[], options: ViewOptions) {
    this.#lease = lease
    this.#shard = shard
    this.#tables = tables
    this.#options = options
  }

  /** Reads the shard's watermarks. Returns why the shard belongs to another log; null: it belongs to this one. */
  async begin(): Promise<string | null> {
    const { log, source } = this.#options
    const { partition } = this.#lease
    this.#identity = await this.#unlessOver(log.identity(source))
    const marks = await Promise.all(this.#tables.map((table) => this.#shard.watermark(table)))
    for (const [at, table] of this.#tables.entries()) this.#watermarks.set(table, marks[at]?.offset ?? 0)
    this.#checkpoint = marks.find(({ offset }) => offset === Math.min(...this.#watermarks.values()))?.checkpoint ?? null
    return await this.#unlessOver(replacedLogReason(log, { topic: source, partition }, marks))
  }

  async untilOver(): Promise<void> {
    await this.#unlessOver(this.#options.vectors.completions.follow(this.#lease.partition))
    let next = Math.min(...this.#watermarks.values())
    this.#lease.seek(next)
    while (!this.#lease.signal.aborted) {
      const { records, after } = await this.#gather()
      const last = records.at(-1)
      if (last !== undefined && last.offset >= next) {
        next = last.offset + 1
        this.#checkpoint = checkpointAfter(this.#identity, last)
      }
      const { throttle } = this.#options
      // A poll that finds nothing stays outside the throttle: as live work, it would delay background derivations for
      // ever.
      if (records.length > 0) await throttle.run(() => this.#apply(records, next), this.#lease.signal)
      this.endSpans((span) => span.end())
      if (after === 'nothing') await this.#catchUp(next)
      if (records.length === 0) await this.#look()
    }
  }

  endSpans(end: (span: Span) => void): void {
    for (const span of this.#spans.splice(0)) end(span)
  }

  /**
   * Checks a quiet shard, which a reader may have discarded or a person deleted. @throws LoomlogError `view-corrupt`
   */
  async #look(): Promise<void> {
    if (performance.now() - this.#lookedAt < lookMs) return
    this.#lookedAt = performance.now()
    for (const table of this.#tables) await this.#shard.watermark(table)
  }

  /** Waits for the first record, and then for more, by merge batching. */
  async #gather(): Promise<Batch> {
    const { topic, throttle } = this.#options
    const records: LogRecord[] = [...(await this.#poll({ maxRecords: this.#room([]), maxWaitMs: pollMs }))]
    const startedAt = performance.now()
    while (records.length > 0 && !this.#lease.signal.aborted) {
      const { isBesideLiveWork } = throttle
      this.#batching = batchingFor(records, { topic, isBesideLiveWork, now: Date.now() }) ?? this.#batching
      const { lingerMs, quietMs, intervalMs, until } = this.#batching
      if (until === 'end of input' && (await this.#unlessOver(isEndOfInput(records, this.#options)))) {
        return { records, after: 'nothing' }
      }
      const leftMs = startedAt + lingerMs - performance.now()
      const maxRecords = this.#room(records)
      if (leftMs <= 0 || maxRecords <= 0) break
      const more = await this.#poll({ maxRecords, maxWaitMs: Math.min(leftMs, quietMs) })
      records.push(...more)
      // Under a steady load of less than one record in `quietMs`, each record would be a merge of its own.
      if (more.length === 0 && performance.now() - this.#mergedAt >= intervalMs) break
    }
    return { records, after: records.length === 0 ? 'nothing' : 'more' }
  }

  async #poll(limits: Parameters<Lease['poll']>[0]): Promise<readonly LogRecord[]> {
    const { isLive } = this.#options.throttle
    const consumer = { name: 'materializer', group: groupOf(this.#options), isLive }
    const records = await this.#lease.poll(limits)
    for (const record of records) {
      const span = processSpan(record, consumer)
      if (span !== null) this.#spans.push(span)
    }
    return records
  }

  /** Ends a wait with the lease: an endpoint may be away for longer. */
  #unlessOver<T>(work: Promise<T>): Promise<T> {
    return unlessAborted(work, this.#lease.signal)
  }

  /** The number of records that the batch still takes. */
  #room(records: readonly LogRecord[]): number {
    const bytes = records.reduce((sum, { value }) => sum + value.byteLength, 0)
    const most = Math.min(this.#batching.maxRecords, this.#options.throttle.maxInFlight)
    return bytes >= maxBatchBytes ? 0 : most - records.length
  }

  async #apply(records: readonly LogRecord[], next: number): Promise<void> {
    const byTable = new Map<Table, TableProjection[]>()
    const forgotten = new Set<string>()
    for (const record of records) {
      if (misplacementOf(record, this.#options.partitions) !== null) continue
      const event = await this.#options.codec.decodeOrNull(record.value)
      if (event?.type === 'SubjectForgotten' && record.key !== null) forgotten.add(record.key)
      for (const each of event === null ? [] : projectAll(event, record, this.#tables)) {
        const of = byTable.get(each.table)
        if (of) of.push(each)
        else byTable.set(each.table, [each])
      }
    }
    const { vectors } = this.#options
    const changesOf = new Map<Table, Awaited<ReturnType<typeof withVectors>>>()
    for (const [table, all] of byTable)
      changesOf.set(table, await this.#unlessOver(withVectors(all, vectors, this.#lease.signal)))
    // Before the watermark: a process that dies in between forgets again. After the last vector of an earlier record.
    for (const space of forgotten) vectors.cache.forget(space)
    for (const [table, changes] of changesOf) await this.#advance(table, changes, next)
  }

  /** Advances the watermarks of tables that the last records did not change, at the end of the input. */
  async #catchUp(next: number): Promise<void> {
    for (const [table, watermark] of this.#watermarks) if (watermark < next) await this.#advance(table, [], next)
  }

  async #advance(table: Table, changes: Awaited<ReturnType<typeof withVectors>>, watermark: number): Promise<void> {
    const checkpoint = this.#checkpoint?.offset === watermark ? { checkpoint: this.#checkpoint } : {}
    await this.#shard.apply({ table, changes, watermark, ...checkpoint })
    this.#mergedAt = performance.now()
    this.#watermarks.set(table, watermark)
  }
}
