/**
 * The topics that the publisher reads: those of every live generation, and of generations that the feed of a space still follows. Pure. A topic
 * comes after the topic that it is derived from.
 */
import type { Generations } from '@loomlog/generations/generations'
import { answering, liveGenerations } from '@loomlog/generations/pointers'
import { servingFrom } from '@loomlog/generations/serving'
import type { TopicSpec } from '@loomlog/topics/catalogue'
import type { Table } from '@loomlog/views/table'

export interface FollowedTopic {
  /** As it is called in the log. */
  readonly name: string
  /** The topic that its writer reads. */
  readonly upstream: string
  readonly tables: readonly Table[]
}

interface InstalledTopics {
  readonly topics: readonly TopicSpec[]
  readonly tables: readonly Table[]
}

export function topicsOfGeneration(
  known: Generations,
  generation: string,
  of: InstalledTopics,
): readonly FollowedTopic[] {
  const defined = known.generations.get(generation)
  if (defined === undefined) return []
  const serving = servingFrom(defined, of.topics)
  return serving.stages.map(({ reads, writes }) => ({
    name: writes,
    upstream: reads,
    tables: of.tables.filter(({ topic }) => serving.has(topic) && serving.topic(topic) === writes),
  }))
}

/** @param followed the generations that feeds of spaces follow now */
export function followedTopics(
  known: Generations,
  followed: Iterable<string>,
  of: InstalledTopics,
): readonly FollowedTopic[] {
  const byName = new Map<string, FollowedTopic>()
  for (const generation of new Set([...liveGenerations(known), ...followed])) {
    for (const topic of topicsOfGeneration(known, generation, of)) byName.set(topic.name, topic)
  }
  return [...byName.values()]
}

/** The generation that is live for a space (`tenant/space`); null: none is. */
export function liveFor(known: Generations, space: string): string | null {
  return answering(known, space.slice(0, space.indexOf('/')))?.generation ?? null
}
