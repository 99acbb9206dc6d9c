/**
 * One process's membership in a group. A heartbeat every fifth of a session renews the membership, takes free
 * partitions up to the member's share, and stops the handlers of partitions above it. A partition is released only
 * after its handler has returned.
 */
import { randomUUID } from 'node:crypto'
import { crashPoint } from '../crash-points.ts'
import type { JoinOptions, Membership } from '../port.ts'
import { whenAborted } from '../when-aborted.ts'
import type { CommitWatch } from './commit-watch.ts'
import type { Database } from './driver.ts'
import { SqliteLease } from './lease.ts'
import {
  type Claim,
  isOwner,
  type Member,
  releasePartition,
  removeMember,
  renewMember,
  shareOf,
  takeFreePartitions,
} from './shares.ts'
import { findTopic, type Topic } from './topics.ts'

interface Holding {
  readonly claim: Claim
  readonly lease: SqliteLease
  readonly done: Promise<void>
}

const beatsPerSession = 5
const defaultSessionMs = 5_000
/** Pause before a partition is taken again after its handler threw or returned early. */
const pauseMs = 1_000

export class SqliteMembership implements Membership {
  /** Resolves when the member has left its group. */
  readonly ended: Promise<void>
  readonly #db: Database
  readonly #watch: CommitWatch
  readonly #options: JoinOptions
  readonly #member: Member
  readonly #holdings = new Map<number, Holding>()
  readonly #resting = new Set<number>()
  #timer: NodeJS.Timeout
  readonly #end: () => void
  #beating: Promise<void> | null = null
  #closing: Promise<void> | null = null

  constructor(db: Database, watch: CommitWatch, options: JoinOptions) {
    const sessionMs = options.sessionMs ?? defaultSessionMs
    this.#db = db
    this.#watch = watch
    this.#options = options
    this.#member = { id: `${process.pid}-${randomUUID().slice(0, 8)}`, group: options.group, sessionMs }
    this.#timer = this.#nextHeartbeat()
    const ended = Promise.withResolvers<void>()
    this.ended = ended.promise
    this.#end = ended.resolve
    const forgetSignal = whenAborted(options.signal, () => this.close())
    void this.ended.then(forgetSignal)
  }

  get heldPartitions(): readonly number[] {
    return [...this.#holdings.values()]
      .filter(({ lease }) => !lease.signal.aborted)
      .map(({ lease }) => lease.partition)
      .sort((a, b) => a - b)
  }

  close(): Promise<void> {
    this.#closing ??= this.#leave()
    return this.#closing
  }

  /** While its handlers finish, the member still sends heartbeats, but has no share. */
  async #leave(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#beating
    const say = () => this.#attempt(() => this.#renew('leave'))
    const renewal = setInterval(say, this.#member.sessionMs / beatsPerSession)
    await say()
    const holdings = [...this.#holdings.values()]
    for (const { lease } of holdings) lease.stop()
    await Promise.all(holdings.map(({ done }) => done))
    clearInterval(renewal)
    await this.#attempt(() => removeMember(this.#db, this.#member))
    this.#end()
  }

  /** At the next multiple of the interval: the heartbeats of a process's members share one commit and its fsync. */
  #nextHeartbeat(): NodeJS.Timeout {
    const everyMs = this.#member.sessionMs / beatsPerSession
    const rest = everyMs - (performance.now() % everyMs)
    // A timer may fire a millisecond early: its heartbeat counts for the multiple that follows.
    const ms = Math.ceil(rest < everyMs / 2 ? rest + everyMs : rest)
    return setTimeout(() => {
      this.#timer = this.#nextHeartbeat()
      this.heartbeat()
    }, ms)
  }

  /** One heartbeat. The first one joins the group. */
  heartbeat(): Promise<void> {
    if (this.#closing) return Promise.resolve()
    this.#beating ??= this.#attempt(() => this.#rebalance()).then((taken) => {
      this.#beating = null
      for (const { topic, claim } of taken ?? []) this.#start(topic, claim)
    })
    return this.#beating
  }

  /**
   * Reports a failure; the next heartbeat tries again. A failed heartbeat ends no lease: the file alone decides who the
   * owner is.
   */
  async #attempt<T>(work: () => T): Promise<T | null> {
    try {
      return await this.#db.write(work)
    } catch (error) {
      this.#options.onError(error)
      return null
    }
  }

  #renew(intent: 'stay' | 'leave'): Topic | null {
    for (const { claim, lease } of this.#holdings.values()) if (!isOwner(this.#db, claim)) lease.stop()
    const topic = findTopic(this.#db, this.#options.topic)
    if (topic) renewMember(this.#db, this.#member, topic, { now: Date.now(), intent })
    return topic
  }

  #rebalance(): readonly { readonly topic: Topic; readonly claim: Claim }[] {
    const topic = this.#renew('stay')
    if (!topic) return []
    const share = shareOf(this.#db, this.#member, topic)
    const surplus = this.heldPartitions.slice(share)
    for (const partition of surplus) this.#holdings.get(partition)?.lease.stop()
    return takeFreePartitions(this.#db, this.#member, topic, {
      wanted: (partition) => !this.#holdings.has(partition) && !this.#resting.has(partition),
      count: share - this.#holdings.size,
    }).map((claim) => ({ topic, claim }))
  }

  #start(topic: Topic, claim: Claim): void {
    crashPoint('lease.after-take')
    const lease = new SqliteLease(this.#db, this.#watch, topic, claim)
    this.#holdings.set(claim.partition, { claim, lease, done: this.#hold(claim, lease) })
  }

  async #hold(claim: Claim, lease: SqliteLease): Promise<void> {
    try {
      await this.#options.onLease(lease)
    } catch (error) {
      this.#options.onError(error)
    }
    if (!lease.signal.aborted) this.#rest(claim.partition)
    lease.stop()
    crashPoint('lease.before-release')
    await this.#attempt(() => releasePartition(this.#db, claim))
    this.#holdings.delete(claim.partition)
  }

  #rest(partition: number): void {
    this.#resting.add(partition)
    setTimeout(() => {
      this.#resting.delete(partition)
      this.heartbeat()
    }, pauseMs).unref()
  }
}
