/** A lease of the in-memory log. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { LoomlogError } from '@loomlog/errors'
import { beyondEnd } from '@loomlog/log/beyond-end'
import type { Commit, Lease, LogRecord, StateReader } from '@loomlog/log/port'
import { type Cluster, type Group, type GroupPartition, type Member, recordsFrom } from './cluster.ts'
import { checkCommit } from './limits.ts'
import { awaitLatency, performWrite } from './request.ts'

export interface LeaseOptions {
  readonly cluster: Cluster
  readonly group: Group
  readonly member: Member
  readonly partition: number
}

export class MemoryLease implements Lease {
  readonly topic: string
  readonly partition: number
  readonly epoch: number
  readonly position: number
  readonly state: StateReader
  readonly #cluster: Cluster
  readonly #held: GroupPartition
  readonly #member: Member
  readonly #context = AsyncLocalStorage.snapshot()
  readonly #over = new AbortController()
  #next: number

  constructor({ cluster, group, member, partition }: LeaseOptions) {
    const held = group.partitions[partition]
    if (held === undefined) throw new RangeError(`partition ${partition} is not one of ${group.partitions.length}`)
    this.topic = group.topic
    this.partition = partition
    this.epoch = held.epoch
    this.position = held.position
    this.state = readerOf(held.state)
    this.#cluster = cluster
    this.#held = held
    this.#member = member
    this.#next = held.position
  }

  get signal(): AbortSignal {
    return this.#over.signal
  }

  get isOwned(): boolean {
    return this.#held.owner === this.#member && this.#held.epoch === this.epoch
  }

  end(): void {
    this.#over.abort()
  }

  seek(offset: number): void {
    this.#next = offset
  }

  async poll({ maxRecords, maxWaitMs }: { readonly maxRecords: number; readonly maxWaitMs: number }) {
    const deadline = performance.now() + maxWaitMs
    await awaitLatency(this.#cluster)
    for (;;) {
      if (this.signal.aborted) return []
      const end = this.#records().length
      if (this.#next > end) throw beyondEnd({ topic: this.topic, partition: this.partition, next: this.#next, end })
      const { batch: records, next } = recordsFrom(this.#records(), this.#next, maxRecords)
      this.#next = next
      const leftMs = deadline - performance.now()
      if (records.length > 0 || leftMs <= 0) return records
      await this.#cluster.changed(this.#context, leftMs, this.signal)
    }
  }

  async commit(commit: Commit): Promise<void> {
    checkCommit(this.#cluster, commit)
    await performWrite(this.#cluster, () => this.#commit(commit))
  }

  #commit({ outputs, state, position }: Commit): void {
    if (!this.isOwned) {
      this.#cluster.fencedCommits += 1
      this.end()
      throw new LoomlogError('fenced', `${this.topic}/${this.partition} has another owner than epoch ${this.epoch}`)
    }
    if (position < this.#held.position)
      throw new RangeError(`the position ${position} is below ${this.#held.position}: it never goes back`)
    for (const { topic, record } of outputs) this.#cluster.append(topic, [record])
    for (const { key, value } of state) {
      if (value === null) this.#held.state.delete(key)
      else this.#held.state.set(key, value)
    }
    this.#held.position = position
    this.#cluster.notify()
  }

  #records(): readonly LogRecord[] {
    return this.#cluster.topics.get(this.topic)?.partitions[this.partition] ?? []
  }
}

function readerOf(state: ReadonlyMap<string, Uint8Array>): StateReader {
  const range: StateReader['range'] = (prefix, limit) =>
    [...state]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .slice(0, limit)
  return {
    get: (key) => state.get(key) ?? null,
    getMany: (keys) =>
      new Map(
        keys.flatMap((key) => {
          const value = state.get(key)
          return value === undefined ? [] : [[key, value] as const]
        }),
      ),
    range,
    some: range,
  }
}
