/**
 * The shards that lack records because they are built or rebuilt. A reader notes a shard when it finds it missing,
 * damaged, of another log or far behind; the note ends when the shard has reached the end that its source topic had at
 * that moment.
 */
import { isLoomlogError } from '@loomlog/errors'
import { endOffsetsInTime } from '@loomlog/log/end-offsets-in-time'
import type { Log } from '@loomlog/log/port'

/** A shard that lacks records of the log. */
export interface ShardLag {
  readonly topic: string
  readonly partition: number
  /** The offsets of the source topic below this one are in the shard. */
  readonly reached: number
  /** The end of the source topic when the shard was found behind. */
  readonly end: number
}

/** A shard that is built or rebuilt. */
export type Rebuild = ShardLag

interface Shard {
  /** The topic's name in the catalogue. */
  readonly topic: string
  /** The topic's name in the log. */
  readonly source: string
  readonly partition: number
}

/** A shard that lacks fewer records when it is first opened is normal: its writer is some seconds behind. */
const farBehindRecords = 1_000

export class Rebuilds {
  readonly #log: Pick<Log, 'endOffsets'> | null
  readonly #noted = new Map<string, Omit<Rebuild, 'reached'>>()
  /** Shards that were compared with the log when they were first read. */
  readonly #compared = new Set<string>()

  constructor(log: Pick<Log, 'endOffsets'> | null) {
    this.#log = log
  }

  has({ source, partition }: Shard): boolean {
    return this.#noted.has(`${source}/${partition}`)
  }

  async note(shard: Shard): Promise<void> {
    this.#noteUntil(await this.#endOf(shard), shard)
  }

  #noteUntil(end: number, { topic, source, partition }: Shard): void {
    if (end > 0) this.#noted.set(`${source}/${partition}`, { topic, partition, end })
  }

  /** @param reached null: the shard is missing */
  async compareOnce(shard: Shard, reached: number | null): Promise<void> {
    const key = `${shard.source}/${shard.partition}`
    if (this.#compared.has(key)) return
    const end = await this.#endOf(shard)
    // Not before: the log may be away, and the next read compares the shard then.
    this.#compared.add(key)
    if (end - (reached ?? 0) > (reached === null ? 0 : farBehindRecords)) this.#noteUntil(end, shard)
  }

  /** @param reached the watermark of a topic in a partition */
  async inPartitions(
    partitions: ReadonlySet<number>,
    reached: (topic: string, partition: number) => Promise<number>,
  ): Promise<readonly Rebuild[]> {
    const rebuilds: Rebuild[] = []
    for (const [key, noted] of this.#noted) {
      if (!partitions.has(noted.partition)) continue
      const rebuild = { ...noted, reached: await reached(noted.topic, noted.partition) }
      if (rebuild.reached < rebuild.end) rebuilds.push(rebuild)
      else this.#noted.delete(key)
    }
    return rebuilds
  }

  /** The shards of these topics (by name in the catalogue) and partitions that lack records of the log as it is now. */
  async behind(
    {
      sources,
      partitions,
    }: { readonly sources: ReadonlyMap<string, string>; readonly partitions: ReadonlySet<number> },
    reached: (topic: string, partition: number) => Promise<number>,
  ): Promise<readonly ShardLag[]> {
    const shards = [...sources].flatMap(([topic, source]) =>
      [...partitions].map((partition) => ({ topic, source, partition })),
    )
    const lags = shards.map(async (shard) => {
      const { topic, partition } = shard
      const end = await this.#endOf(shard)
      return { topic, partition, end, reached: end === 0 ? 0 : await reached(topic, partition) }
    })
    return (await Promise.all(lags)).filter((lag) => lag.reached < lag.end)
  }

  async #endOf({ source, partition }: Shard): Promise<number> {
    try {
      return this.#log === null ? 0 : ((await endOffsetsInTime(this.#log, source))[partition] ?? 0)
    } catch (error) {
      // A generation whose topics are not made yet has no records.
      if (isLoomlogError(error, 'topic-unknown')) return 0
      throw error
    }
  }
}
