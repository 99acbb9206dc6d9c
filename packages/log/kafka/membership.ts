/**
 * One process's membership in a group. Leases that stay are not disturbed when members join and leave. A lease that
 * moves is stopped first, and other members may take it only after its handler has returned. Heartbeats continue while
 * the event loop runs, however long a handler waits. A process whose heartbeats were not answered for a session treats
 * all its leases as lost.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LoomlogError } from '@loomlog/errors'
import type { JoinOptions, Membership } from '../port.ts'
import { whenAborted } from '../when-aborted.ts'
import { type Access, errorType, toLogError } from './failures.ts'
import type { KafkaLease } from './lease.ts'
import { type TakeOptions, takeLease } from './lease-takeover.ts'
import { GroupMember, type HeartbeatResult } from './wire/group-member.ts'
import type { Cluster } from './wire/kafkajs-cluster.ts'

export type MembershipContext = Pick<TakeOptions, 'connect' | 'names' | 'topics' | 'keys' | 'log' | 'stateDir'>

interface Holding {
  readonly stop: AbortController
  readonly done: Promise<void>
  lease: KafkaLease | null
  /**
   * The session ended: another member may own the partition already, so this one no longer claims it in a rebalance.
   */
  isLost: boolean
}

const defaultSessionMs = 10_000
const beatsPerSession = 5
const maxBeatMs = 1_000
/**
 * How long a leaving member waits for a rebalance. Then it disconnects, and the group drops it when its session is
 * over.
 */
const leaveWithinMs = 3_000
/** Pause before a partition is taken again after its handler threw or returned early. */
const pauseMs = 1_000

export class KafkaMembership implements Membership {
  /** Resolves when the member has left its group. */
  readonly ended: Promise<void>
  readonly #context: MembershipContext
  readonly #options: JoinOptions
  readonly #cluster: Cluster
  readonly #group: GroupMember
  readonly #sessionMs: number
  readonly #holdings = new Map<number, Holding>()
  readonly #joined = Promise.withResolvers<void>()
  #wake = new AbortController()
  #isClosing = false
  #heardAt = performance.now()

  /**
   * Begins to join: `joined` resolves when the group has assigned this member its partitions, or when the membership
   * has ended.
   */
  static async open(context: MembershipContext, options: JoinOptions): Promise<KafkaMembership> {
    const cluster = context.connect.cluster()
    try {
      await cluster.connect()
      await cluster.addTargetTopic(context.names.topic(options.topic))
    } catch (error) {
      await cluster.disconnect().catch(() => {})
      throw toLogError(error, `joining group ${options.group}`, ...accessesOf(context, options))
    }
    return new KafkaMembership(context, options, cluster)
  }

  private constructor(context: MembershipContext, options: JoinOptions, cluster: Cluster) {
    const { names } = context
    this.#context = context
    this.#options = options
    this.#cluster = cluster
    this.#sessionMs = options.sessionMs ?? defaultSessionMs
    this.#group = new GroupMember({
      cluster,
      groupId: names.group(options.group, options.topic),
      kafkaTopic: names.topic(options.topic),
      sessionMs: this.#sessionMs,
    })
    this.ended = this.#run()
    const forgetSignal = whenAborted(options.signal, () => this.close())
    void this.ended.then(forgetSignal)
  }

  get joined(): Promise<void> {
    return this.#joined.promise
  }

  get heldPartitions(): readonly number[] {
    return [...this.#holdings]
      .filter(([, { lease }]) => lease !== null && !lease.signal.aborted)
      .map(([partition]) => partition)
      .sort((a, b) => a - b)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    for (const { stop } of this.#holdings.values()) stop.abort()
    this.#wake.abort()
    const handlers = Promise.all([...this.#holdings.values()].map(({ done }) => done))
    const patience = new AbortController()
    void handlers.then(() => this.#cutOff(patience.signal))
    await this.ended
    patience.abort()
  }

  /**
   * Limits the wait for a rebalance, in which the group answers no request until all members have joined or were
   * dropped.
   */
  async #cutOff(signal: AbortSignal): Promise<void> {
    await sleep(leaveWithinMs, null, { signal }).catch(() => {})
    if (!signal.aborted) await this.#cluster.disconnect()
  }

  async #run(): Promise<void> {
    let next: HeartbeatResult = 'rejoin'
    while (!this.#isClosing || this.#holdings.size > 0) {
      try {
        if (next !== 'fine') await this.#rejoin()
        next = await this.#beatUntilWoken()
      } catch (error) {
        next = this.#afterFailure(error)
        if (next === 'rejoin') await sleep(200)
      }
      if (next === 'lost') this.#loseAll()
    }
    await this.#group.leave().catch(() => {})
    await this.#cluster.disconnect().catch(() => {})
    this.#joined.resolve()
  }

  async #rejoin(): Promise<void> {
    this.#wake = new AbortController()
    const owned = [...this.#holdings].filter(([, { isLost }]) => !isLost).map(([partition]) => partition)
    const share = await this.#group.join({ owned, isLeaving: this.#isClosing })
    this.#heardAt = performance.now()
    for (const [partition, { stop }] of this.#holdings) if (!share.includes(partition)) stop.abort()
    if (!this.#isClosing) for (const partition of share) this.#hold(partition)
    this.#joined.resolve()
  }

  async #beatUntilWoken(): Promise<HeartbeatResult> {
    const everyMs = Math.min(this.#sessionMs / beatsPerSession, maxBeatMs)
    for (;;) {
      await sleep(everyMs, null, { signal: this.#wake.signal }).catch(() => {})
      if (this.#wake.signal.aborted) {
        if (!this.#isClosing) return 'rejoin'
        if (this.#holdings.size === 0) return 'fine'
        this.#wake = new AbortController()
      }
      if (performance.now() - this.#heardAt > this.#sessionMs) this.#loseAll()
      const beat = await this.#group.heartbeat()
      if (beat !== 'fine') return beat
      this.#heardAt = performance.now()
    }
  }

  #afterFailure(error: unknown): Exclude<HeartbeatResult, 'fine'> {
    if (errorType(error) === 'INVALID_SESSION_TIMEOUT') this.#refuseSession(error)
    try {
      return this.#group.after(error)
    } catch {
      if (performance.now() - this.#heardAt > this.#sessionMs) this.#loseAll()
      if (!this.#isClosing)
        this.#options.onError(
          toLogError(error, `in group ${this.#options.group}`, ...accessesOf(this.#context, this.#options)),
        )
      return 'rejoin'
    }
  }

  /** The brokers' group.min.session.timeout.ms is 6 s by default. */
  #refuseSession(cause: unknown): void {
    const message = `the brokers allow no session of ${this.#sessionMs} ms`
    this.#isClosing = true
    this.#joined.reject(new LoomlogError('config-invalid', message, { cause }))
  }

  #loseAll(): void {
    for (const holding of this.#holdings.values()) {
      holding.isLost = true
      holding.stop.abort()
    }
  }

  #hold(partition: number): void {
    const before = this.#holdings.get(partition)
    if (before && !before.stop.signal.aborted) return
    const stop = new AbortController()
    const holding: Holding = {
      stop,
      lease: null,
      isLost: false,
      done: (before?.done ?? Promise.resolve()).then(() => this.#work(partition, holding)),
    }
    this.#holdings.set(partition, holding)
    holding.done.then(() => {
      if (this.#holdings.get(partition) === holding) this.#holdings.delete(partition)
      this.#wake.abort()
    })
  }

  async #work(partition: number, holding: Holding): Promise<void> {
    const { signal } = holding.stop
    const { group, topic, onLease, onError } = this.#options
    while (!signal.aborted) {
      try {
        this.#requireAnsweredHeartbeat()
        holding.lease = await takeLease({
          ...this.#context,
          group,
          topic,
          partition,
          owner: this.#group.id,
          revoked: signal,
        })
        if (!signal.aborted) await onLease(holding.lease)
      } catch (error) {
        onError(error)
      }
      await holding.lease?.release().catch(onError)
      holding.lease = null
      await sleep(pauseMs, null, { signal }).catch(() => {})
    }
  }

  /** After a long stop, another member may own the partition. Taking it would fence that member. */
  #requireAnsweredHeartbeat(): void {
    if (performance.now() - this.#heardAt <= this.#sessionMs) return
    throw new LoomlogError(
      'log-unavailable',
      `no heartbeat in group ${this.#options.group} was answered for a whole session`,
    )
  }
}

/** The accesses of a member: to its group, and to the topic whose partitions it shares. */
function accessesOf({ names }: MembershipContext, { group, topic }: JoinOptions): readonly Access[] {
  return [
    { operation: 'READ', kind: 'group', names: [names.group(group, topic)] },
    { operation: 'DESCRIBE and READ', kind: 'topic', names: [names.topic(topic)] },
  ]
}
