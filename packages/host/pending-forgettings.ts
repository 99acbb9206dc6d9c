/**
 * The forgettings that are requested, and whose records are not destroyed yet. Until a view has passed the marker, it
 * still has the rows that are to be forgotten, so readers treat the space as empty there. Readers of a topic leave out
 * the records before the marker, also some minutes later, since they may have read them before their destruction.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { endOffsetsInTime } from '@loomlog/log/end-offsets-in-time'
import { partitionOf } from '@loomlog/log/partition'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { LoomEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { ViewedSpace } from '@loomlog/views/reader-options'

const topic = 'forgettings'

/** How long after their destruction a reader may still hold records. */
const heldMs = 10 * 60_000

/** Where a topic has the markers of a forgetting: several, where it rewrote the space again. */
interface MarkerSearch {
  /** Nothing that is to be forgotten comes after it. Null: not found yet. */
  first: number | null
  last: number | null
  next: number
}

interface PendingForgetting {
  /** By topic. */
  readonly markers: Map<string, MarkerSearch>
  /** Null: the records are not destroyed yet. */
  readonly destroyedAt: number | null
}

/** By forgetting. */
type Pending = Map<string, PendingForgetting>

interface LogParts {
  readonly log: Log
  readonly codec: Codec
  /** Of the space-keyed topics. */
  readonly partitions: number
}

export class PendingForgettings {
  readonly #host: LogParts
  readonly #bySpace = new Map<string, Pending>()
  /** By space: the forgetting whose records were destroyed last. */
  readonly #lastDestroyed = new Map<string, string>()
  /** By partition of `forgettings`. */
  readonly #next = new Map<number, number>()
  readonly #following = new Map<number, Promise<void>>()
  /** By partition: when its end was read last. */
  readonly #followedAt = new Map<number, number>()
  /** Reads run one at a time, so that each record is read once. */
  #reading: Promise<unknown> = Promise.resolve()

  constructor(host: LogParts) {
    this.#host = host
  }

  /** Whether the view has rows of the space from before a forgetting. If the log is away, as it was known last. */
  async isVoid({ space, source, watermark }: ViewedSpace): Promise<boolean> {
    const partition = partitionOf(space, this.#host.partitions)
    try {
      await this.#follow(partition)
      for (const { markers } of this.#underWayIn(space)) {
        const { first } = await this.#inTurn(() => this.#markersIn(source, { space, partition, markers }))
        if (first === null || (await watermark()) <= first) return true
      }
      return false
    } catch (error) {
      if (!isLoomlogError(error, 'log-unavailable') && !isLoomlogError(error, 'topic-unknown')) throw error
      return this.#underWayIn(space).length > 0
    }
  }

  /**
   * Where the space begins in the topic: at the marker of the last forgetting that is under way, or was some minutes
   * ago. 0: none is. Infinity: the topic doesn't have the marker yet, so all of its records of the space are void.
   * Records that were read before the call may be judged by it.
   */
  async beginningOf(space: string, source: string): Promise<number> {
    const partition = partitionOf(space, this.#host.partitions)
    let beginning = 0
    await this.#followForMany(partition)
    for (const { markers, destroyedAt } of [...(this.#bySpace.get(space)?.values() ?? [])]) {
      if (isOver(destroyedAt)) continue
      const { last } = await this.#inTurn(() => this.#markersIn(source, { space, partition, markers }))
      if (last === null && destroyedAt === null) return Number.POSITIVE_INFINITY
      beginning = Math.max(beginning, last ?? 0)
    }
    return beginning
  }

  async isUnderWay(space: string): Promise<boolean> {
    await this.#follow(partitionOf(space, this.#host.partitions)).catch(ignoreMissingTopic)
    return this.#underWayIn(space).length > 0
  }

  /** For what reads the records of a space whole. @throws LoomlogError `views-behind` */
  async requireNone(space: string): Promise<void> {
    if (await this.isUnderWay(space))
      throw new LoomlogError('views-behind', `a forgetting is under way in ${space}: try again once it is certified`)
  }

  /**
   * For what reads them for long. @returns a check that no forgetting was requested or carried out since the call
   * @throws LoomlogError `views-behind`, and so does the check
   */
  async requireNoneFromNow(space: string): Promise<() => Promise<void>> {
    await this.requireNone(space)
    const before = this.#lastDestroyed.get(space)
    return async () => {
      await this.requireNone(space)
      if (this.#lastDestroyed.get(space) !== before)
        throw new LoomlogError('views-behind', `a forgetting was carried out in ${space} meanwhile: try again`)
    }
  }

  #underWayIn(space: string): readonly PendingForgetting[] {
    return [...(this.#bySpace.get(space)?.values() ?? [])].filter(({ destroyedAt }) => destroyedAt === null)
  }

  /** One look at the log for the many readers that a message wakes at once. */
  async #followForMany(partition: number): Promise<void> {
    const following = this.#following.get(partition) ?? this.#follow(partition, this.#host.log.maxEndAgeMs)
    this.#following.set(partition, following)
    await following.catch(ignoreMissingTopic).finally(() => this.#following.delete(partition))
  }

  /** @param maxAgeMs how old a known end may be */
  async #follow(partition: number, maxAgeMs = 0): Promise<void> {
    const now = performance.now()
    if (now - (this.#followedAt.get(partition) ?? Number.NEGATIVE_INFINITY) < maxAgeMs) return
    const end = (await endOffsetsInTime(this.#host.log, topic))[partition] ?? 0
    if ((this.#next.get(partition) ?? 0) < end) await this.#inTurn(() => this.#readOn(partition))
    this.#followedAt.set(partition, now)
  }

  async #readOn(partition: number): Promise<void> {
    for await (const { event, offset } of this.#read(topic, partition, this.#next.get(partition) ?? 0)) {
      if (event !== null) this.#note(event)
      this.#next.set(partition, offset + 1)
    }
  }

  #note(event: LoomEvent): void {
    const isRequest = event.type === 'ForgettingRequested'
    if (!isRequest && event.type !== 'ForgettingStatusChanged') return
    const space = spaceKey(event.tenant, event.space)
    const id = isRequest ? event.id : event.forgetting
    const pending: Pending = this.#bySpace.get(space) ?? new Map()
    const status = isRequest ? 'requested' : event.status
    const { markers = new Map(), destroyedAt: earlier = null } = pending.get(id) ?? {}
    const isDestroyed = status === 'destroyed' || status === 'certified'
    pending.set(id, { markers, destroyedAt: earlier ?? (isDestroyed ? event.at : null) })
    if (isDestroyed) this.#lastDestroyed.set(space, id)
    for (const [known, { destroyedAt }] of pending) if (isOver(destroyedAt)) pending.delete(known)
    if (pending.size === 0) this.#bySpace.delete(space)
    else this.#bySpace.set(space, pending)
  }

  async #markersIn(source: string, of: { space: string; partition: number; markers: Map<string, MarkerSearch> }) {
    const search = of.markers.get(source) ?? { first: null, last: null, next: 0 }
    of.markers.set(source, search)
    const pending = this.#bySpace.get(of.space)
    for await (const { key, event, offset } of this.#read(source, of.partition, search.next, of.space)) {
      const isMarker = event?.type === 'SubjectForgotten' || event?.type === 'ForgettingPublished'
      if (isMarker && key === of.space && pending?.get(event.forgetting)?.markers === of.markers) {
        search.first ??= offset
        search.last = offset
      }
      search.next = offset + 1
    }
    return search
  }

  /** @param key only records of this key are decoded */
  async *#read(name: string, partition: number, from: number, key: string | null = null) {
    const { log, codec } = this.#host
    const place = { topic: name, partitions: [partition], from: new Map([[partition, from]]), until: 'end' } as const
    for await (const records of log.read(place))
      for (const record of records) {
        const isWanted = key === null || record.key === key
        yield { ...record, event: isWanted ? await codec.decodeOwn(record.value) : null }
      }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#reading.then(work)
    this.#reading = turn.catch(() => {})
    return turn
  }
}

function isOver(destroyedAt: number | null): boolean {
  return destroyedAt !== null && destroyedAt + heldMs < Date.now()
}

/** A log of an earlier version has no topic of forgettings. */
function ignoreMissingTopic(error: unknown): void {
  if (!isLoomlogError(error, 'topic-unknown')) throw error
}
