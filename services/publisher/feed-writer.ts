/**
 * The loop of one lease: reads the followed topics, publishes changes of memories, lets spaces switch to another live
 * generation, and marks progress. Deciding is pure (row-changes.ts, publications.ts, space-switch.ts); feed-spaces.ts
 * keeps the spaces, and feed-commits.ts commits.
 *
 * Every followed topic is folded into rows, also one whose generation no space follows yet. So a promotion publishes
 * the differences of two sets of rows. After a crash, uncommitted work is done again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GenerationsFollower } from '@loomlog/generations/follower'
import type { Lease, Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import {
  type DerivedRecord,
  type EvidenceRetracted,
  isEvent,
  type LogEvent,
  type MemoryCorrected,
  type SubjectForgotten,
} from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { FeedCommits } from './feed-commits.ts'
import { FeedSpaces } from './feed-spaces.ts'
import { FeedState, type TopicState } from './feed-state.ts'
import { type FollowedTopic, followedTopics } from './followed-topics.ts'
import { type InputRecord, mergedInput } from './merged-input.ts'
import { correctionPublished, publicationsOf } from './publications.ts'
import { rowChanges } from './row-changes.ts'

/**
 * Outputs and state changes that fill a commit. A switch's commit may be larger: it holds all differences of the space.
 */
const fullCommit = 500
/** Rows of a topic no longer followed that one commit removes. */
const droppedAtOnce = 500
/** Records that are applied in one turn of the event loop. */
const recordsATurn = 32
const maxPolled = 1_000
/** Poll intervals of the derived topics: while some utterances are not reflected yet, and otherwise. */
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
  readonly #spaces: FeedSpaces
  readonly #commits: FeedCommits
  /** The end up to which this lease has read a topic. */
  readonly #readTo = new Map<string, number>()
  readonly #touchedTopics = new Set<string>()

  constructor(lease: Lease, options: WriterOptions) {
    this.#lease = lease
    this.#options = options
    this.#state = new FeedState(lease.state)
    this.#topics = this.#state.topics()
    this.#commits = new FeedCommits(lease, this.#state, options.codec)
    const of = { lease, state: this.#state, commits: this.#commits, feed: options.feed, topics: this.#topics }
    this.#spaces = new FeedSpaces(of, options.follower.current)
  }

  /** Returns when the lease ends. */
  async run(): Promise<void> {
    await this.#untilOver().finally(() => this.#commits.abandon())
  }

  async #untilOver(): Promise<void> {
    const { signal } = this.#lease
    const commit = () => this.#commit()
    while (!signal.aborted) {
      const known = this.#options.follower.current
      const topics = followedTopics(known, this.#spaces.update(known))
      await this.#dropAllBut(topics)
      const records = await this.#read(topics)
      if (signal.aborted) return
      await this.#spaces.switch((topic) => this.#readTo.has(topic), commit)
      this.#spaces.mark()
      await commit()
      const waitMs = this.#spaces.isWaiting || records > 0 ? busyMs : idleMs
      this.#spaces.note(await this.#lease.poll({ maxRecords: maxPolled, maxWaitMs: waitMs }))
    }
  }

  /** Removes the rows of topics that no generation in use has any longer. */
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
      if (isForgetting(input)) await this.#forget(input, input.event)
      else this.#apply(input)
      records += 1
      if (this.#commits.pending >= fullCommit) await this.#commit()
      else if (records % recordsATurn === 0) await nextTurn()
      if (signal.aborted) break
    }
    return records
  }

  /** Everything before the record in its space is void. Rows are read as they are committed. */
  async #forget(input: InputRecord, marker: SubjectForgotten): Promise<void> {
    await this.#commit()
    this.#pass(input)
    this.#spaces.forget(input.record.key ?? '', input.topic, marker)
  }

  #pass({ topic, record, event }: InputRecord): void {
    const before = this.#topics.get(topic.name) ?? unread
    const watermark = isEvent('WatermarkAdvanced', event) ? event.offset : before.watermark
    this.#topics.set(topic.name, { ...before, next: record.offset + 1, watermark })
    this.#touchedTopics.add(topic.name)
  }

  #apply(input: InputRecord): void {
    this.#pass(input)
    const { topic, record, event } = input
    const { key } = record
    if (key === null || event === null || this.#spaces.isVoid(key, topic.name)) return
    if (isEvent('MemoryCorrected', event) || isEvent('EvidenceRetracted', event)) this.#noteCorrection(key, event)
    if (!isDerived(event) || spaceKey(event.tenant, event.space) !== key) return
    const context = this.#spaces.contextFor(key, topic, event.knownAt)
    const span = context === null ? null : this.#commits.spanOf(record)
    const stored = (table: { name: string }, id: string) =>
      this.#state.row({ topic: topic.name, space: key, table: table.name, id })
    for (const changed of rowChanges(event, { ...record, key }, topic.tables, stored)) {
      const { table, id, after, because } = changed
      this.#state.putRow({ topic: topic.name, space: key, table: table.name, id }, after)
      if (context !== null) this.#commits.publish(publicationsOf(changed, { id: event.id, because }, context), span)
    }
    if (context !== null && isEvent('CorrectionApplied', event))
      this.#commits.publish([correctionPublished(event, this.#state.correction(key, event.correction), context)], span)
  }

  /** The first stage passes the source event on, before any stage reports its outcome. */
  #noteCorrection(key: string, event: MemoryCorrected | EvidenceRetracted): void {
    const { id, tenant, space, by } = event
    const action = event.type === 'MemoryCorrected' ? event.action : 'undo'
    if (spaceKey(tenant, space) === key) this.#state.putCorrection(key, id, { action, by })
  }

  async #commit(): Promise<void> {
    for (const topic of this.#touchedTopics) this.#state.putTopic(topic, this.#topics.get(topic) ?? null)
    await this.#commits.commit(this.#spaces.position)
    this.#touchedTopics.clear()
  }
}

function isForgetting(input: InputRecord): input is InputRecord & { readonly event: SubjectForgotten } {
  const { record, event } = input
  return event !== null && isEvent('SubjectForgotten', event) && spaceKey(event.tenant, event.space) === record.key
}

function isDerived(event: LogEvent): event is DerivedRecord {
  return 'lineage' in event
}
