/** A member of a group: sends heartbeats, takes the partitions that are assigned to it, and releases the others. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { JoinOptions, Membership } from '@loomlog/log/port'
import type { Cluster, Group, Member } from './cluster.ts'
import { MemoryLease } from './lease.ts'

const defaultSessionMs = 5_000
const heartbeatsPerSession = 5
/** Backoff before a partition is taken again after its handler failed. */
const retakeMs = 50

interface HeldLease {
  readonly lease: MemoryLease
  readonly handled: Promise<void>
}

export class MemoryMembership implements Membership {
  readonly #cluster: Cluster
  readonly #options: JoinOptions
  readonly #group: Group
  readonly #held = new Map<number, HeldLease>()
  readonly #context = AsyncLocalStorage.snapshot()
  readonly #closing = new AbortController()
  readonly #ended: Promise<void>
  #member: Member
  #count = 0

  constructor(cluster: Cluster, options: JoinOptions) {
    this.#cluster = cluster
    this.#options = options
    this.#group = cluster.group(options.group, options.topic)
    this.#member = this.#join()
    this.#ended = this.#beat()
    const { signal } = options
    signal?.addEventListener('abort', this.#close)
    if (signal?.aborted) this.#close()
  }

  get heldPartitions(): readonly number[] {
    return [...this.#held.keys()].sort((a, b) => a - b)
  }

  readonly #close = () => void this.close()

  async close(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#close)
    this.#closing.abort()
    await this.#ended
  }

  #join(): Member {
    this.#count += 1
    const sessionMs = this.#options.sessionMs ?? defaultSessionMs
    const id = `${this.#options.group}-${this.#group.members.length}-${this.#count}`
    const member = { id, sessionMs, lastHeardMs: performance.now() }
    this.#group.members = [...this.#group.members, member]
    this.#cluster.notify()
    return member
  }

  async #beat(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await this.#stayMember()
      if (signal.aborted) break
      this.#cluster.assign(this.#group, performance.now())
      this.#takeAndHandOver()
      await this.#cluster.changed(this.#context, this.#member.sessionMs / heartbeatsPerSession, signal)
    }
    await this.#handOverAll()
    this.#group.members = this.#group.members.filter((member) => member !== this.#member)
    this.#cluster.notify()
    this.#cluster.assign(this.#group, performance.now())
  }

  /** A member whose session ended has lost its leases, and joins again. */
  async #stayMember(): Promise<void> {
    this.#member.lastHeardMs = performance.now()
    if (this.#group.members.includes(this.#member)) return
    await this.#handOverAll()
    this.#member = this.#join()
  }

  #takeAndHandOver(): void {
    for (const [index, { owner }] of this.#group.partitions.entries()) {
      const held = this.#held.get(index)
      const isMine = this.#cluster.ownerOf(this.#group, index) === this.#member
      if (held && (!isMine || !held.lease.isOwned)) held.lease.end()
      else if (!held && owner === this.#member) this.#take(index)
    }
  }

  #take(partition: number): void {
    const lease = new MemoryLease({
      cluster: this.#cluster,
      group: this.#group,
      member: this.#member,
      partition,
    })
    const handled = this.#handle(lease).then(() => {
      lease.end()
      this.#held.delete(partition)
      this.#release(lease)
    })
    this.#held.set(partition, { lease, handled })
  }

  async #handle(lease: MemoryLease): Promise<void> {
    try {
      await this.#options.onLease(lease)
    } catch (error) {
      lease.end()
      this.#options.onError(error)
      await new Promise<void>((resolve) => setTimeout(resolve, retakeMs))
    }
  }

  #release(lease: MemoryLease): void {
    const partition = this.#group.partitions[lease.partition]
    if (partition && lease.isOwned) partition.owner = null
    this.#cluster.notify()
  }

  async #handOverAll(): Promise<void> {
    const all = [...this.#held.values()]
    for (const { lease } of all) lease.end()
    await Promise.all(all.map(({ handled }) => handled))
  }
}
