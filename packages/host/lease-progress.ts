/**
 * Watches whether partitions make progress, as Kafka's `max.poll.interval.ms` does: a partition stalls when records
 * wait for longer than the limit and none was finished in that time. A lease is no progress: one that is lost and taken
 * again continues the times of the lease before. The watch sees only the calls on the lease, so it detects a handler
 * that hangs, one that fails again and again, and a partition that can't be read alike.
 */
import type { JoinOptions, Lease, Log } from '@loomlog/log/port'

/** The call that finishes records: a commit, or, for a reader that keeps its position elsewhere, its next poll. */
export type FinishingCall = 'commit' | 'poll'

/** A partition with records that are not done. */
export interface LeaseLag {
  readonly group: string
  readonly topic: string
  readonly partition: number
  /** The next offset that is not done. */
  readonly position: number
  readonly end: number
  /** Time since the partition had an end that the lease has not reached yet, in ms; 0: it has reached the end. */
  readonly behindMs: number
  /** How long ago a record was last finished, in ms. */
  readonly sinceFinishedMs: number
  /** `again`: the reader has sought back, as the writer of a view does when it rebuilds a shard. */
  readonly reads: 'first time' | 'again'
}

export interface HeldLease extends LeaseLag {
  readonly isBehind: boolean
}

interface WatchedLease {
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly takenAt: number
  /** The position at which the lease began. */
  from: number
  position: number
  /** Records below this offset were finished before. */
  reached: number
  movedAt: number
  /** The end of the partition at `setAt`, which the lease has not reached yet. */
  target: { readonly offset: number; readonly setAt: number } | null
  /** Null: it is held. */
  endedAt: number | null
  /**
   * Since when short leases of a reader that polls follow each other; null: this lease has lasted, or is the first one.
   */
  unsteadySince: number | null
}

/**
 * A partition is taken again within this time, as a rule. Polls show progress only in a lease that has lasted as long:
 * the reader keeps its position elsewhere, and a shorter lease may have ended before it stored one.
 */
const defaultSteadyMs = 30_000

interface ProgressOptions {
  readonly stallMs?: number
  readonly clock?: () => number
}

export class LeaseProgress {
  readonly #watched = new Set<WatchedLease>()
  readonly #clock: () => number
  readonly #steadyMs: number

  /**
   * @param stallMs a lease is steady after a tenth of it at the latest: one that is taken again must not look stalled
   */
  constructor({ stallMs = Infinity, clock = () => performance.now() }: ProgressOptions = {}) {
    this.#clock = clock
    this.#steadyMs = Math.min(defaultSteadyMs, stallMs / 10)
  }

  /** The log, with its leases watched. */
  watch(log: Log, finishedBy: FinishingCall): Log {
    return { ...log, join: (options) => log.join(this.#watchedJoin(options, finishedBy)) }
  }

  /**
   * The partitions that are behind, of the leases that this process holds or has just lost. Reads the ends of their
   * topics.
   */
  async lags(log: Pick<Log, 'endOffsets'>): Promise<readonly LeaseLag[]> {
    return (await this.#readLags(log)).filter(({ isBehind }) => isBehind)
  }

  /** Every lease that this process holds. */
  async leases(log: Pick<Log, 'endOffsets'>): Promise<readonly HeldLease[]> {
    return (await this.#readLags(log)).filter(({ isHeld }) => isHeld)
  }

  async #readLags(log: Pick<Log, 'endOffsets'>) {
    const topics = new Set([...this.#watched].map(({ topic }) => topic))
    const ends = new Map(
      await Promise.all([...topics].map(async (topic) => [topic, await log.endOffsets(topic)] as const)),
    )
    const now = this.#clock()
    for (const watched of this.#watched)
      if (watched.endedAt !== null && now - watched.endedAt > this.#steadyMs) this.#watched.delete(watched)
    return [...this.#watched].map((watched) => {
      const end = ends.get(watched.topic)?.[watched.partition] ?? 0
      return { ...lagOf(watched, end, now), isHeld: watched.endedAt === null }
    })
  }

  #watchedJoin(options: JoinOptions, finishedBy: FinishingCall): JoinOptions {
    const { group, topic } = options
    /** By partition, the last lease of it. */
    const last = new Map<number, WatchedLease>()
    return {
      ...options,
      onLease: async (lease) => {
        const before = last.get(lease.partition)
        const watched = {
          ...leaseAfter(before, lease, { finishedBy, now: this.#clock(), steadyMs: this.#steadyMs }),
          group,
          topic,
        }
        last.set(lease.partition, watched)
        if (before !== undefined) this.#watched.delete(before)
        this.#watched.add(watched)
        const wrapped = { commit: committing, poll: polling }[finishedBy]
        const times = { clock: this.#clock, steadyMs: this.#steadyMs }
        try {
          await options.onLease(wrapped(lease, watched, times))
        } finally {
          watched.endedAt = this.#clock()
        }
      },
    }
  }
}

/** The first state of a lease. It has finished nothing yet, so it continues the times of the lease before. */
function leaseAfter(
  before: WatchedLease | undefined,
  { partition, position }: Lease,
  {
    finishedBy,
    now,
    steadyMs,
  }: { readonly finishedBy: FinishingCall; readonly now: number; readonly steadyMs: number },
): Omit<WatchedLease, 'group' | 'topic'> {
  const fresh = { partition, from: position, position, reached: position, takenAt: now, movedAt: now, endedAt: null }
  const lostAt = before?.endedAt ?? now
  if (before === undefined) return { ...fresh, target: null, unsteadySince: null }
  if (finishedBy === 'poll')
    return { ...fresh, target: null, unsteadySince: now - lostAt > steadyMs ? null : (before.unsteadySince ?? lostAt) }
  // Otherwise another process has finished records meanwhile.
  const { movedAt, target } = position === before.position ? before : { movedAt: now, target: null }
  return { ...fresh, movedAt, target, unsteadySince: null }
}

/** The times of a lease that has ended stand still. */
function lagOf(watched: WatchedLease, end: number, now: number): HeldLease {
  const { group, topic, partition, position, reached, endedAt, unsteadySince } = watched
  const at = endedAt ?? now
  const reads = position < reached ? 'again' : 'first time'
  const place = { group, topic, partition, position, end, reads } as const
  if (unsteadySince !== null) {
    const sinceMs = at - unsteadySince
    return { ...place, behindMs: sinceMs, sinceFinishedMs: sinceMs, isBehind: watched.from < end }
  }
  const hasReached = watched.target === null || position >= watched.target.offset
  if (hasReached && endedAt === null) watched.target = { offset: end, setAt: now }
  const { target } = watched
  const isBehind = target !== null && position < target.offset
  return { ...place, behindMs: isBehind ? at - target.setAt : 0, sinceFinishedMs: at - watched.movedAt, isBehind }
}

interface Times {
  readonly clock: () => number
  readonly steadyMs: number
}

function committing(lease: Lease, watched: WatchedLease, { clock }: Times): Lease {
  return {
    ...through(lease),
    async commit(commit) {
      await lease.commit(commit)
      moveTo(watched, commit.position, clock())
    },
  }
}

/** The records of a poll are done when the next poll begins. */
function polling(lease: Lease, watched: WatchedLease, { clock, steadyMs }: Times): Lease {
  let next = lease.position
  let hasPolled = false
  return {
    ...through(lease),
    async poll(limits) {
      hasPolled = true
      const now = clock()
      if (now - watched.takenAt >= steadyMs) watched.unsteadySince = null
      if (next !== watched.position) moveTo(watched, next, now)
      const records = await lease.poll(limits)
      next = (records.at(-1)?.offset ?? next - 1) + 1
      return records
    },
    seek(offset) {
      // Before the first poll it is the position that the reader has stored.
      if (!hasPolled) watched.from = offset
      next = offset
      lease.seek(offset)
    },
  }
}

function moveTo(watched: WatchedLease, position: number, now: number): void {
  watched.position = position
  watched.reached = Math.max(watched.reached, position)
  watched.movedAt = now
}

function through(lease: Lease): Lease {
  const { topic, partition, epoch, position, state, signal } = lease
  return {
    topic,
    partition,
    epoch,
    position,
    state,
    signal,
    poll: (limits) => lease.poll(limits),
    seek: (offset) => lease.seek(offset),
    commit: (commit) => lease.commit(commit),
  }
}
