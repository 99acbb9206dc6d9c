/**
 * The state that the handles of one in-memory log share: topics, groups, and waiters for a change.
 *
 * C1. A partition of a group has one owner; every new owner gets a higher epoch.
 * C2. A partition goes to another member when its owner has released it, or sent no heartbeat for its session.
 */
import { LoomlogError } from '@loomlog/errors'
import { partitionOfRecord } from '@loomlog/log/partition'
import type { LogRecord, NewRecord, Position, TopicConfig } from '@loomlog/log/port'

/** Runs a function in the context of the process that created this value: `AsyncLocalStorage.snapshot()`. */
export type Context = (run: () => void) => void

export interface Topic {
  readonly identity: string
  readonly config: TopicConfig
  /** By offset; an erased record has the time -1. */
  readonly partitions: readonly LogRecord[][]
}

export interface Member {
  readonly id: string
  readonly sessionMs: number
  lastHeardMs: number
}

export interface GroupPartition {
  position: number
  epoch: number
  owner: Member | null
  readonly state: Map<string, Uint8Array>
}

export interface Group {
  readonly topic: string
  members: readonly Member[]
  readonly partitions: readonly GroupPartition[]
}

/** The outcome of a write: done, failed without an effect, or done with its reply lost. */
export type WriteOutcome = 'done' | 'failed' | 'unknown'

export interface ClusterOptions {
  /** Latency of a request or of its reply. */
  latencyMs(): number
  writeOutcome(): WriteOutcome
}

/** At most `maxRecords` records from `next` on, and the offset after the last one that was passed. */
export function recordsFrom(stored: readonly LogRecord[], from: number, maxRecords: number) {
  const batch: LogRecord[] = []
  let next = from
  for (; next < stored.length && batch.length < maxRecords; next++) {
    const record = stored[next] as LogRecord
    // The last one is handed out, empty, so that readers that wait for the end reach it.
    if (record.timestamp !== -1 || next === stored.length - 1) batch.push(record)
  }
  return { batch, next }
}

export class Cluster {
  readonly topics = new Map<string, Topic>()
  readonly groups = new Map<string, Group>()
  readonly schemas: string[] = []
  readonly options: ClusterOptions
  /** The number of commits that were refused as `fenced`. */
  fencedCommits = 0
  #created = 0
  readonly #waiting = new Set<() => void>()

  constructor(options: ClusterOptions) {
    this.options = options
  }

  topic(name: string): Topic {
    const topic = this.topics.get(name)
    if (!topic) throw new LoomlogError('topic-unknown', `there is no topic ${name}: create it first`)
    return topic
  }

  createTopic(config: TopicConfig): void {
    this.#created += 1
    const partitions = Array.from({ length: config.partitions }, (): LogRecord[] => [])
    this.topics.set(config.name, { identity: `${config.name}-${this.#created}`, config, partitions })
  }

  append(name: string, records: readonly NewRecord[]): readonly Position[] {
    const { partitions } = this.topic(name)
    return records.map((record) => {
      const partition = partitionOfRecord(record, partitions.length)
      const stored = partitions[partition] ?? []
      const { key, value, timestamp, traceparent } = record
      const place = { topic: name, partition, offset: stored.length }
      stored.push({ ...place, key, value: value.slice(), timestamp, ...(traceparent && { traceparent }) })
      return { topic: name, partition, offset: stored.length - 1 }
    })
  }

  erase(positions: readonly Position[]): void {
    for (const { topic, partition, offset } of positions) {
      const records = this.topic(topic).partitions[partition]
      if (records?.[offset])
        records[offset] = { topic, partition, offset, key: null, value: new Uint8Array(), timestamp: -1 }
    }
  }

  group(name: string, topic: string): Group {
    const known = this.groups.get(name)
    if (known) return known
    const partitions = this.topic(topic).partitions.map(() => ({
      position: 0,
      epoch: 0,
      owner: null,
      state: new Map(),
    }))
    const group = { topic, members: [], partitions }
    this.groups.set(name, group)
    return group
  }

  /** Removes members whose session is over, and gives free partitions to the members that they are assigned to. */
  assign(group: Group, nowMs: number): void {
    const alive = group.members.filter(({ lastHeardMs, sessionMs }) => nowMs - lastHeardMs <= sessionMs)
    const isExpired = (owner: Member | null) => owner !== null && !alive.includes(owner)
    let hasChanged = alive.length < group.members.length
    group.members = alive
    for (const [index, partition] of group.partitions.entries()) {
      if (isExpired(partition.owner)) partition.owner = null
      const next = this.ownerOf(group, index)
      if (partition.owner !== null || next === null) continue
      partition.owner = next
      partition.epoch += 1
      hasChanged = true
    }
    if (hasChanged) this.notify()
  }

  /** Ends a member's session early, as a broker does that received no heartbeats. */
  evict(group: Group, member: Member, nowMs: number): void {
    group.members = group.members.filter((each) => each !== member)
    for (const partition of group.partitions) if (partition.owner === member) partition.owner = null
    this.assign(group, nowMs)
  }

  /** The member that a partition is assigned to. Another member may still own it. */
  ownerOf({ members }: Group, partition: number): Member | null {
    return members[partition % members.length] ?? null
  }

  notify(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  /**
   * Resolves after the next change, when the time is over, or when the signal aborts. The waiting process may be
   * another one than the process that makes the change, so it wakes by a timer of its own.
   */
  changed(inContextOfWaiter: Context, maxMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const wake = () => {
        this.#waiting.delete(wake)
        inContextOfWaiter(() => setTimeout(finish, this.options.latencyMs()))
      }
      const timer = setTimeout(finish, maxMs)
      this.#waiting.add(wake)
      signal?.addEventListener('abort', finish, { once: true })
      if (signal?.aborted) finish()
    })
  }
}
