/**
 * The Log port in memory, for simulated histories: any number of handles on one cluster, each like one of another
 * process. It keeps the contract of the port (contract.test.ts) except durability and schema compatibility.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { LoomlogError } from '@loomlog/errors'
import { beyondEnd } from '@loomlog/log/beyond-end'
import type {
  GroupLag,
  JoinOptions,
  Log,
  Membership,
  NewRecord,
  Position,
  ReadOptions,
  SchemaRegistry,
  TopicConfig,
} from '@loomlog/log/port'
import { type Cluster, recordsFrom } from './cluster.ts'
import { checkRecord } from './limits.ts'
import { MemoryMembership } from './membership.ts'
import { awaitLatency, performWrite } from './request.ts'

const defaultMaxRecords = 1_000
const followMs = 60_000

export class MemoryLog implements Log {
  readonly maxEndAgeMs = 0
  readonly sealing = null
  readonly #cluster: Cluster
  readonly #memberships: Membership[] = []
  /** Appends of one handle arrive in the order of the calls. */
  #appending: Promise<unknown> = Promise.resolve()

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  get schemas(): SchemaRegistry {
    const { schemas } = this.#cluster
    return {
      async register(_subject, schema) {
        const known = schemas.indexOf(schema)
        return known === -1 ? schemas.push(schema) : known + 1
      },
      async schema(id) {
        const schema = schemas[id - 1]
        if (schema === undefined) throw new LoomlogError('schema-unknown', `there is no schema with id ${id}`)
        return schema
      },
    }
  }

  async createTopic(config: TopicConfig): Promise<void> {
    const known = this.#cluster.topics.get(config.name)?.config
    if (known && known.partitions !== config.partitions)
      throw new LoomlogError('topic-mismatch', `${config.name} has ${known.partitions} partitions`)
    if (known) return
    this.#cluster.createTopic(config)
  }

  async topicDrift(): Promise<readonly []> {
    return []
  }

  async deleteTopic(name: string): Promise<void> {
    this.#cluster.topics.delete(name)
    for (const [group, { topic }] of this.#cluster.groups) if (topic === name) this.#cluster.groups.delete(group)
  }

  async topics(): Promise<readonly TopicConfig[]> {
    return [...this.#cluster.topics.values()].map(({ config }) => config)
  }

  append(topic: string, records: readonly NewRecord[]): Promise<readonly Position[]> {
    const appended = this.#appending.then(() =>
      performWrite(this.#cluster, () => {
        for (const record of records) checkRecord(topic, record)
        const positions = this.#cluster.append(topic, records)
        this.#cluster.notify()
        return positions
      }),
    )
    this.#appending = appended.catch(() => {})
    return appended
  }

  async identity(topic: string): Promise<string> {
    return this.#cluster.topic(topic).identity
  }

  async endOffsets(topic: string): Promise<readonly number[]> {
    await awaitLatency(this.#cluster)
    return this.#cluster.topic(topic).partitions.map(({ length }) => length)
  }

  async *read(options: ReadOptions) {
    const { topic, from, until, signal, maxRecords = defaultMaxRecords } = options
    const context = AsyncLocalStorage.snapshot()
    const stored = this.#cluster.topic(topic).partitions
    const wanted = (options.partitions ?? [...stored.keys()]).map((partition) => {
      const records = stored[partition] ?? []
      return { partition, records, next: from?.get(partition) ?? 0, end: records.length }
    })
    for (const { partition, next, end } of wanted) if (next > end) throw beyondEnd({ topic, partition, next, end })
    while (!signal?.aborted) {
      const ready = wanted.find((each) => each.next < (until === 'end' ? each.end : each.records.length))
      if (ready === undefined && until === 'end') return
      if (ready === undefined) {
        await this.#cluster.changed(context, followMs, signal)
        continue
      }
      const last = until === 'end' ? ready.end : ready.records.length
      const { batch, next } = recordsFrom(ready.records.slice(0, last), ready.next, maxRecords)
      ready.next = next
      await awaitLatency(this.#cluster)
      if (batch.length > 0 && !signal?.aborted) yield batch
    }
  }

  async erase(positions: readonly Position[]): Promise<void> {
    await performWrite(this.#cluster, () => this.#cluster.erase(positions))
  }

  async join(options: JoinOptions): Promise<Membership> {
    await awaitLatency(this.#cluster)
    const membership = new MemoryMembership(this.#cluster, options)
    this.#memberships.push(membership)
    return membership
  }

  async groups(): Promise<readonly GroupLag[]> {
    return [...this.#cluster.groups].flatMap(([group, { topic, partitions }]) =>
      partitions.map(({ position, epoch, owner }, partition) => {
        return { group, topic, partition, position, epoch, owner: owner?.id ?? null }
      }),
    )
  }

  async deleteGroup(name: string): Promise<void> {
    const group = this.#cluster.groups.get(name)
    if (group && group.members.length > 0) throw new LoomlogError('group-in-use', `${name} has members`)
    this.#cluster.groups.delete(name)
  }

  async close(): Promise<void> {
    await Promise.all(this.#memberships.map((membership) => membership.close()))
  }
}
