/**
 * Watches whether leases make progress, as Kafka's `max.poll.interval.ms` does: a lease stalls when records wait for longer than the limit
 * and nothing was committed in that time. The watch sees only the calls on the lease, so it detects a handler that
 * hangs and a partition that can't be read alike.
 */
import type { JoinOptions, Lease, Log } from '@loomlog/log/port'

/** The call that finishes records: a commit, or, for a reader that keeps its position elsewhere, its next poll. */
export type FinishedBy = 'commit' | 'poll'

/** A partition with records that are not done. */
export interface Lag {
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

export interface HeldLease extends Lag {
  readonly isBehind: boolean
}

interface WatchedLease {
  readonly group: string
  readonly topic: string
  readonly partition: number
  position: number
  /** Records below this offset were finished before. */
  reached: number
  movedAt: number
  /** The end of the partition at `setAt`, which the lease has not reached yet. */
  target: { readonly offset: number; readonly setAt: number } | null
}

export class LeaseProgress {
  readonly #watched = new Set<WatchedLease>()

  /** The log, with its leases watched. */
  watch(log: Log, finishedBy: FinishedBy): Log {
    return { ...log, join: (options) => log.join(this.#watchedJoin(options, finishedBy)) }
  }

  /** The partitions that are behind, of the leases that this process holds. Reads the ends of their topics. */
  async lags(log: Pick<Log, 'endOffsets'>): Promise<readonly Lag[]> {
    return (await this.leases(log)).filter(({ isBehind }) => isBehind)
  }

  /** Every lease that this process holds. */
  async leases(log: Pick<Log, 'endOffsets'>): Promise<readonly HeldLease[]> {
    const topics = new Set([...this.#watched].map(({ topic }) => topic))
    const ends = new Map(
      await Promise.all([...topics].map(async (topic) => [topic, await log.endOffsets(topic)] as const)),
    )
    const now = performance.now()
    return [...this.#watched].map((watched) => {
      const end = ends.get(watched.topic)?.[watched.partition] ?? 0
      const { group, topic, partition, position } = watched
      if (watched.target === null || position >= watched.target.offset) watched.target = { offset: end, setAt: now }
      const isBehind = position < watched.target.offset
      const behindMs = isBehind ? now - watched.target.setAt : 0
      const reads = position < watched.reached ? 'again' : 'first time'
      return {
        group,
        topic,
        partition,
        position,
        end,
        behindMs,
        sinceFinishedMs: now - watched.movedAt,
        reads,
        isBehind,
      }
    })
  }

  #watchedJoin(options: JoinOptions, finishedBy: FinishedBy): JoinOptions {
    const { group, topic } = options
    return {
      ...options,
      onLease: async (lease) => {
        const { partition, position } = lease
        const movedAt = performance.now()
        const watched: WatchedLease = { group, topic, partition, position, reached: position, movedAt, target: null }
        this.#watched.add(watched)
        try {
          await options.onLease(finishedBy === 'commit' ? committing(lease, watched) : polling(lease, watched))
        } finally {
          this.#watched.delete(watched)
        }
      },
    }
  }
}

function committing(lease: Lease, watched: WatchedLease): Lease {
  return {
    ...through(lease),
    async commit(commit) {
      await lease.commit(commit)
      moveTo(watched, commit.position)
    },
  }
}

/** The records of a poll are done when the next poll begins. */
function polling(lease: Lease, watched: WatchedLease): Lease {
  let next = lease.position
  return {
    ...through(lease),
    async poll(limits) {
      if (next !== watched.position) moveTo(watched, next)
      const records = await lease.poll(limits)
      next = (records.at(-1)?.offset ?? next - 1) + 1
      return records
    },
    seek(offset) {
      next = offset
      lease.seek(offset)
    },
  }
}

function moveTo(watched: WatchedLease, position: number): void {
  watched.position = position
  watched.reached = Math.max(watched.reached, position)
  watched.movedAt = performance.now()
}

function through(lease: Lease): Lease {
  const { topic, partition, epoch, position, state, signal } = lease
  return {
    ...{ topic, partition, epoch, position, state, signal },
    poll: (limits) => lease.poll(limits),
    seek: (offset) => lease.seek(offset),
    commit: (commit) => lease.commit(commit),
  }
}
