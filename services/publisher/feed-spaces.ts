/**
 * The spaces of one lease: the generation that each follows, its switches to another one, and its marks of progress. A
 * space switches in a commit of its own, once the new generation's topics are read to their ends, so that a reader sees
 * all differences of the two generations at once.
 */
import type { Generations } from '@loomlog/generations/generations'
import { crashPoint } from '@loomlog/log/crash-points'
import type { Lease, LogRecord } from '@loomlog/log/port'
import type { SubjectForgotten } from '@loomlog/schemas/events'
import type { FeedCommits } from './feed-commits.ts'
import type { FeedState, SpaceState, TopicState } from './feed-state.ts'
import { differingTables, type FollowedTopic, liveGenerationOf, topicsOfGeneration } from './followed-topics.ts'
import { ProgressMarks } from './progress-marks.ts'
import { generationSwitched, type PublicationContext, progressMarked } from './publications.ts'
import { forgettingPublications } from './space-restart.ts'
import { switchPublications } from './space-switch.ts'

export interface SpacesOptions {
  readonly lease: Pick<Lease, 'partition' | 'position' | 'signal'>
  readonly state: FeedState
  readonly commits: FeedCommits
  /** The identity of `memory-events`. */
  readonly feed: string
  readonly topics: ReadonlyMap<string, TopicState>
}

export class FeedSpaces {
  readonly #options: SpacesOptions
  readonly #spaces: Map<string, SpaceState>
  readonly #marks: ProgressMarks
  #known: Generations
  #generationTopics = new Map<string, readonly FollowedTopic[]>()

  constructor(options: SpacesOptions, known: Generations) {
    this.#options = options
    this.#known = known
    this.#spaces = options.state.spaces()
    this.#marks = new ProgressMarks(options.lease.position)
    for (const [space, { owesMark, marked }] of this.#spaces) if (owesMark) this.#marks.reopen(space, marked)
  }

  /** Takes the newest generations. Returns those that spaces follow. */
  update(known: Generations): ReadonlySet<string> {
    this.#known = known
    this.#generationTopics = new Map()
    return new Set([...this.#spaces.values()].flatMap(({ generation }) => generation ?? []))
  }

  /** The position in `utterances` below which everything is marked. */
  get position(): number {
    return this.#marks.position
  }

  get isWaiting(): boolean {
    return this.#marks.isWaiting
  }

  /** @param utterances of the lease's partition, in order */
  note(utterances: readonly LogRecord[]): void {
    this.#marks.note(utterances)
  }

  /** The context in which an event of the topic is published; null: the space follows another generation. */
  contextFor(key: string, topic: FollowedTopic, at: number): PublicationContext | null {
    const space = this.#spaces.get(key) ?? this.#begin(key, at)
    const { generation } = space
    const follows = generation !== null && this.#topicsOf(generation).some(({ name }) => name === topic.name)
    return follows ? this.#contextOf(key, space, at) : null
  }

  /** Whether a record of the topic is void: the space was forgotten in another topic, and not in this one yet. */
  isVoid(key: string, topic: string): boolean {
    const { forgotten = 0 } = this.#spaces.get(key) ?? {}
    return forgotten > 0 && this.#options.state.restartedAt(topic, key) < forgotten
  }

  /**
   * A topic has passed a forgetting on. The first topic of the generation that does so empties the feed of the space:
   * records that the others have from before it are void. Nothing of the space may be pending.
   */
  forget(key: string, topic: FollowedTopic, marker: SubjectForgotten): void {
    const { state, commits } = this.#options
    const isFollowed = this.contextFor(key, topic, marker.appendedAt) !== null
    const space = this.#spaces.get(key)
    const isFirst = isFollowed && space !== undefined && marker.appendedAt > (space.forgotten ?? 0)
    if (isFirst) {
      const now = { ...space, forgotten: marker.appendedAt }
      const topics = this.#topicsOf(space.generation ?? '')
      const tables = topics.flatMap(({ name, tables: made }) =>
        made.map((table) => ({ table, rows: state.rows({ topic: name, space: key, table: table.name }) })),
      )
      commits.publish(forgettingPublications(tables, marker, this.#contextOf(key, now, marker.appendedAt)))
      for (const name of this.#options.topics.keys()) {
        if (state.restartedAt(name, key) < marker.appendedAt) state.dropSpace(name, key)
      }
      state.dropCorrections(key)
      this.#put(key, now)
    } else state.dropSpace(topic.name, key)
    state.putRestart(topic.name, key, Math.max(marker.appendedAt, state.restartedAt(topic.name, key)))
  }

  /** @param isRead whether a topic is read to its end @param commit commits the events so far */
  async switch(isRead: (topic: string) => boolean, commit: () => Promise<void>): Promise<void> {
    for (const [key, space] of this.#spaces) {
      const target = liveGenerationOf(this.#known, key)
      if (target === null || target === space.generation || this.#options.lease.signal.aborted) continue
      if (!this.#topicsOf(target).every(({ name }) => isRead(name))) continue
      await commit()
      crashPoint('publish.before-switch')
      this.#switchTo(target, key, space)
      await commit()
      crashPoint('publish.after-switch')
    }
  }

  mark(): void {
    const { lease, commits } = this.#options
    const watermarkOf = (key: string) => {
      const generation = this.#spaces.get(key)?.generation ?? liveGenerationOf(this.#known, key)
      return generation === null ? 0 : this.#watermark(generation)
    }
    for (const { space: key, upTo } of this.#marks.due(watermarkOf)) {
      const space = this.#spaces.get(key) ?? this.#begin(key, Date.now())
      if (upTo <= space.marked && !space.owesMark) continue
      const owesMark = space.owesMark && upTo < space.marked
      this.#put(key, { ...space, marked: Math.max(upTo, space.marked), owesMark })
      const mark = { partition: lease.partition, upTo }
      commits.publish([progressMarked(this.#contextOf(key, space, Date.now()), mark)])
    }
  }

  /** Begins the feed of a new space, which follows the live generation from its first event. */
  #begin(key: string, at: number): SpaceState {
    const generation = liveGenerationOf(this.#known, key)
    const space = { generation, switches: generation === null ? 0 : 1, marked: 0, owesMark: false }
    this.#put(key, space)
    if (generation === null) return space
    const { lease, commits } = this.#options
    const first = { from: null, inserted: 0, retracted: 0, partition: lease.partition, upTo: 0 }
    commits.publish([generationSwitched(this.#contextOf(key, space, at), first)])
    return space
  }

  #switchTo(target: string, key: string, space: SpaceState): void {
    const { state, lease, commits } = this.#options
    const upTo = this.#watermark(target)
    const owesMark = upTo < space.marked
    const marked = Math.max(upTo, space.marked)
    const switched = { generation: target, switches: space.switches + 1, marked, owesMark }
    const before = space.generation === null ? [] : this.#topicsOf(space.generation)
    const rows = (topic: string | null, table: string) =>
      topic === null ? new Map() : state.rows({ topic, space: key, table })
    const tables = differingTables(before, this.#topicsOf(target)).map(({ table, from, to }) => ({
      table,
      before: rows(from, table.name),
      after: rows(to, table.name),
    }))
    const of = { from: space.generation, partition: lease.partition, upTo }
    commits.publish(switchPublications(tables, of, this.#contextOf(key, switched, Date.now())))
    this.#put(key, switched)
    if (owesMark) this.#marks.reopen(key, marked)
  }

  /** The lowest watermark of the generation's topics. */
  #watermark(generation: string): number {
    const watermarks = this.#topicsOf(generation).map(({ name }) => this.#options.topics.get(name)?.watermark ?? 0)
    return watermarks.length === 0 ? 0 : Math.min(...watermarks)
  }

  #topicsOf(generation: string): readonly FollowedTopic[] {
    const topics = this.#generationTopics.get(generation) ?? topicsOfGeneration(this.#known, generation)
    this.#generationTopics.set(generation, topics)
    return topics
  }

  #contextOf(key: string, state: SpaceState, at: number): PublicationContext {
    const { generation, switches, forgotten = 0 } = state
    const [tenant = '', space = ''] = key.split('/')
    return { feed: this.#options.feed, tenant, space, generation: generation ?? '', switches, forgotten, at }
  }

  #put(key: string, space: SpaceState): void {
    this.#spaces.set(key, space)
    this.#options.state.putSpace(key, space)
  }
}
