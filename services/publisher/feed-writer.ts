/**
 * The loop of one lease: reads the followed topics, publishes changes of memories, switches spaces to another live generation, and marks
 * progress. Deciding is pure (row-changes.ts, publications.ts, space-switch.ts); this file reads and commits.
 *
 * Every followed topic is folded into rows, also one whose generation no space follows yet. So a promotion publishes the differences of two sets
 * of rows, one space a commit, once the new generation's topics are read to their ends. After a crash, uncommitted work is done again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GenerationsFollower } from '@loomlog/generations/follower'
import type { Generations } from '@loomlog/generations/generations'
import { crashPoint } from '@loomlog/log/crash-points'
import type { Lease, Log, LogRecord, Output } from '@loomlog/log/port'
import { kafkaHeaders } from '@loomlog/schemas/cloud-events'
import type { Codec } from '@loomlog/schemas/codec'
import { type DerivedRecord, isEvent, type LogEvent, type PublishedEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { endUncommitted, processSpan } from '@loomlog/traces/record-spans'
import type { Span } from '@loomlog/traces/spans'
import { FeedState, type SpaceState, type TopicState } from './feed-state.ts'
import { differingTables, type FollowedTopic, followedTopics, liveFor, topicsOfGeneration } from './followed-topics.ts'
import { type InputRecord, mergedInput } from './merged-input.ts'
import { ProgressMarks } from './progress-marks.ts'
import {
  correctionPublished,
  type FeedPlace,
  generationSwitched,
  progressMarked,
  publicationsOf,
} from './publications.ts'
import { rowChanges } from './row-changes.ts'
import { switchPublications } from './space-switch.ts'

/** Outputs and state changes of a commit, except a switch's: that one is as large as the space's differences. */
const fullCommit = 500
/** Rows of an abandoned topic that are removed with one commit. */
const droppedAtOnce = 500
/** Records are applied in one turn of the event loop. */
const recordsATurn = 32
const maxPolled = 1_000
/** Wait between two looks at the derived topics, while utterances are not reflected yet and otherwise. */
const busyMs = 100
const idleMs = 500

export interface FeedOptions {
  readonly log: Pick<Log, 'join' | 'read' | 'endOffsets' | 'identity'>
  readonly codec: Codec
  readonly follower: Pick<GenerationsFollower, 'current'>
}

interface WriterOptions extends FeedOptions {
  /** The identity of `memory-events`. */
  readonly feed: string
}

const unread: TopicState = { next: 0, watermark: 0, isDropped: false }

export class FeedWriter {
  readonly #lease: Lease
  readonly #options: WriterOptions
  readonly #state: FeedState
  readonly #topics: Map<string, TopicState>
  readonly #spaces: Map<string, SpaceState>
  readonly #marks: ProgressMarks
  /** The end up to which this lease has read a topic. */
  readonly #readTo = new Map<string, number>()
  readonly #touchedTopics = new Set<string>()
  readonly #outputs: Output[] = []
  /** Of the records that were read and not committed. */
  readonly #spans: Span[] = []
  #position: number
  #known: Generations
  #generationTopics = new Map<string, readonly FollowedTopic[]>()

  constructor(lease: Lease, options: WriterOptions) {
    this.#lease = lease
    this.#options = options
    this.#known = options.follower.current
    this.#state = new FeedState(lease.state)
    this.#topics = this.#state.topics()
    this.#spaces = this.#state.spaces()
    this.#position = lease.position
    this.#marks = new ProgressMarks(lease.position)
    for (const [space, { owesMark, marked }] of this.#spaces) if (owesMark) this.#marks.reopen(space, marked)
  }

  /** Returns when the lease ends. */
  async run(): Promise<void> {
    await this.#untilOver().finally(() => this.#spans.forEach(endUncommitted))
  }

  async #untilOver(): Promise<void> {
    const { signal } = this.#lease
    while (!signal.aborted) {
      this.#known = this.#options.follower.current
      this.#generationTopics = new Map()
      const generations = new Set([...this.#spaces.values()].flatMap(({ generation }) => generation ?? []))
      const topics = followedTopics(this.#known, generations)
      await this.#dropAllBut(topics)
      const records = await this.#read(topics)
      if (signal.aborted) return
      await this.#switchSpaces()
      this.#mark()
      await this.#commit()
      const waitMs = this.#marks.isWaiting || records > 0 ? busyMs : idleMs
      this.#marks.note(await this.#lease.poll({ maxRecords: maxPolled, maxWaitMs: waitMs }))
    }
  }

  /** Removes the rows of topics that nothing follows any longer. */
  async #dropAllBut(followed: readonly FollowedTopic[]): Promise<void> {
    const names = new Set(followed.map(({ name }) => name))
    for (const [topic, state] of this.#topics) {
      if (names.has(topic) && !state.isDropped) continue
      this.#state.putTopic(topic, { ...state, isDropped: true })
      while (this.#state.dropRows(topic, droppedAtOnce)) await this.#commit()
      this.#state.putTopic(topic, null)
      await this.#commit()
      this.#topics.delete(topic)
      this.#readTo.delete(topic)
    }
  }

  /** Returns the number of records. */
  async #read(topics: readonly FollowedTopic[]): Promise<number> {
    const { log, codec } = this.#options
    const { partition, signal } = this.#lease
    const from = (topic: string) => Math.max(this.#topics.get(topic)?.next ?? 0, this.#readTo.get(topic) ?? 0)
    const onEnd = (topic: string, end: number) => this.#readTo.set(topic, end)
    let records = 0
    for await (const input of mergedInput(topics, from, { log, codec, partition, signal }, onEnd)) {
      this.#apply(input)
      records += 1
      if (this.#outputs.length + this.#state.pending >= fullCommit) await this.#commit()
      else if (records % recordsATurn === 0) await nextTurn()
      if (signal.aborted) break
    }
    return records
  }

  #apply({ topic, record, event }: InputRecord): void {
    const before = this.#topics.get(topic.name) ?? unread
    const watermark = isEvent('WatermarkAdvanced', event) ? event.offset : before.watermark
    this.#topics.set(topic.name, { ...before, next: record.offset + 1, watermark })
    this.#touchedTopics.add(topic.name)
    const { key } = record
    if (key === null || event === null || !isDerived(event) || spaceKey(event.tenant, event.space) !== key) return
    const space = this.#spaces.get(key) ?? this.#begin(key, event.knownAt)
    const stored = (table: { name: string }, id: string) =>
      this.#state.row({ topic: topic.name, space: key, table: table.name, id })
    const place = this.#follows(space, topic) ? this.#placeOf(key, space, event.knownAt) : null
    const span = place === null ? null : this.#spanOf(record)
    for (const changed of rowChanges(event, { ...record, key }, topic.tables, stored)) {
      const { table, id, after, because } = changed
      this.#state.putRow({ topic: topic.name, space: key, table: table.name, id }, after)
      if (place !== null) this.#publish(publicationsOf(changed, { id: event.id, because }, place), span)
    }
    if (place !== null && isEvent('CorrectionApplied', event)) this.#publish([correctionPublished(event, place)], span)
  }

  /** Null: the record is not traced. */
  #spanOf(record: LogRecord): Span | null {
    const span = processSpan(record, { name: 'publisher', group: 'publisher', isLive: true })
    if (span !== null) this.#spans.push(span)
    return span
  }

  /** A space that no topic had before follows the live generation from its first event. */
  #begin(key: string, at: number): SpaceState {
    const generation = liveFor(this.#known, key)
    const space = { generation, switches: generation === null ? 0 : 1, marked: 0, owesMark: false }
    this.#putSpace(key, space)
    if (generation === null) return space
    const { partition } = this.#lease
    const first = { from: null, inserted: 0, retracted: 0, partition, upTo: 0 }
    this.#publish([generationSwitched(this.#placeOf(key, space, at), first)])
    return space
  }

  #follows({ generation }: SpaceState, { name }: FollowedTopic): boolean {
    return generation !== null && this.#topicsOf(generation).some((topic) => topic.name === name)
  }

  #topicsOf(generation: string): readonly FollowedTopic[] {
    const topics = this.#generationTopics.get(generation) ?? topicsOfGeneration(this.#known, generation)
    this.#generationTopics.set(generation, topics)
    return topics
  }

  /** One space a commit: a reader sees the differences of two generations whole. */
  async #switchSpaces(): Promise<void> {
    for (const [key, space] of this.#spaces) {
      const target = liveFor(this.#known, key)
      if (target === null || target === space.generation || this.#lease.signal.aborted) continue
      if (!this.#topicsOf(target).every(({ name }) => this.#readTo.has(name))) continue
      await this.#commit()
      crashPoint('publish.before-switch')
      this.#switch(key, space, target)
      await this.#commit()
      crashPoint('publish.after-switch')
    }
  }

  #switch(key: string, space: SpaceState, target: string): void {
    const upTo = this.#watermark(target)
    const owesMark = upTo < space.marked
    const switched = {
      generation: target,
      switches: space.switches + 1,
      marked: Math.max(upTo, space.marked),
      owesMark,
    }
    const before = space.generation === null ? [] : this.#topicsOf(space.generation)
    const rows = (topic: string | null, table: string) =>
      topic === null ? new Map() : this.#state.rows({ topic, space: key, table })
    const tables = differingTables(before, this.#topicsOf(target)).map(({ table, from, to }) => ({
      table,
      before: rows(from, table.name),
      after: rows(to, table.name),
    }))
    const of = { from: space.generation, partition: this.#lease.partition, upTo }
    this.#publish(switchPublications(tables, of, this.#placeOf(key, switched, Date.now())))
    this.#putSpace(key, switched)
    if (owesMark) this.#marks.reopen(key, switched.marked)
  }

  #mark(): void {
    const { partition } = this.#lease
    const watermarkOf = (key: string) => {
      const generation = this.#spaces.get(key)?.generation ?? liveFor(this.#known, key)
      return generation === null ? 0 : this.#watermark(generation)
    }
    for (const { space: key, upTo } of this.#marks.due(watermarkOf)) {
      const space = this.#spaces.get(key) ?? this.#begin(key, Date.now())
      if (upTo <= space.marked && !space.owesMark) continue
      const owesMark = space.owesMark && upTo < space.marked
      this.#putSpace(key, { ...space, marked: Math.max(upTo, space.marked), owesMark })
      this.#publish([progressMarked(this.#placeOf(key, space, Date.now()), { partition, upTo })])
    }
  }

  /** The lowest of its topics. */
  #watermark(generation: string): number {
    const watermarks = this.#topicsOf(generation).map(({ name }) => this.#topics.get(name)?.watermark ?? 0)
    return watermarks.length === 0 ? 0 : Math.min(...watermarks)
  }

  #placeOf(key: string, { generation, switches }: SpaceState, at: number): FeedPlace {
    const [tenant = '', space = ''] = key.split('/')
    return { feed: this.#options.feed, tenant, space, generation: generation ?? '', switches, at }
  }

  #putSpace(key: string, space: SpaceState): void {
    this.#spaces.set(key, space)
    this.#state.putSpace(key, space)
  }

  #publish(events: readonly PublishedEvent[], span: Span | null = null): void {
    for (const event of events) {
      const value = this.#options.codec.encode(event)
      const key = spaceKey(event.tenant, event.space)
      const record = { key, value, timestamp: Date.now(), headers: kafkaHeaders(event) }
      const traced = span === null ? record : { ...record, traceparent: span.traceparent }
      this.#outputs.push({ topic: 'memory-events', record: traced })
    }
  }

  async #commit(): Promise<void> {
    for (const topic of this.#touchedTopics) this.#state.putTopic(topic, this.#topics.get(topic) ?? null)
    const position = Math.max(this.#position, this.#marks.position)
    if (this.#state.pending === 0 && this.#outputs.length === 0 && position === this.#position) return
    crashPoint('publish.before-commit')
    await this.#lease.commit({ outputs: this.#outputs, state: this.#state.changes(), position })
    crashPoint('publish.after-commit')
    this.#position = position
    this.#touchedTopics.clear()
    this.#state.settle()
    this.#outputs.length = 0
    for (const span of this.#spans.splice(0)) span.end()
  }
}

function isDerived(event: LogEvent): event is DerivedRecord {
  return 'lineage' in event
}
