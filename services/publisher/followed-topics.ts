/**
 * The topics that the publisher reads: those of every live generation, and of generations that the feed of a space
 * still follows. Only loomlog's own stages, since memories of extensions are not published. Pure. A topic comes after
 * the topic that it is derived from.
 */
import type { Generations } from '@loomlog/generations/generations'
import { liveGeneration, liveGenerations } from '@loomlog/generations/pointers'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { catalogue } from '@loomlog/topics/catalogue'
import type { Table } from '@loomlog/views/table'
import { tables } from '@loomlog/views/tables'

export interface FollowedTopic {
  /** The topic's name in the log. */
  readonly name: string
  /** The topic that its writer reads. */
  readonly upstream: string
  readonly tables: readonly Table[]
}

export function topicsOfGeneration(known: Generations, generation: string): readonly FollowedTopic[] {
  const defined = known.generations.get(generation)
  if (defined === undefined) return []
  const serving = servingGeneration(defined, catalogue)
  return serving.stages.map(({ reads, writes }) => ({
    name: writes,
    upstream: reads,
    tables: tables.filter(({ topic }) => serving.has(topic) && serving.topic(topic) === writes),
  }))
}

/** @param followed the generations that feeds of spaces follow now */
export function followedTopics(known: Generations, followed: Iterable<string>): readonly FollowedTopic[] {
  const byName = new Map<string, FollowedTopic>()
  for (const generation of new Set([...liveGenerations(known), ...followed])) {
    for (const topic of topicsOfGeneration(known, generation)) byName.set(topic.name, topic)
  }
  return [...byName.values()]
}

/** The generation that is live for a space (`tenant/space`); null: none is. */
export function liveGenerationOf(known: Generations, space: string): string | null {
  return liveGeneration(known, space.slice(0, space.indexOf('/')))?.generation ?? null
}

export interface DifferingTable {
  readonly table: Table
  /** The topics that it is made from; null: that generation has none. */
  readonly from: string | null
  readonly to: string | null
}

/** The tables that two generations make from different topics, a cause before its effects. */
export function differingTables(
  before: readonly FollowedTopic[],
  after: readonly FollowedTopic[],
): readonly DifferingTable[] {
  const topicOf = (topics: readonly FollowedTopic[], { name }: Table) =>
    topics.find((topic) => topic.tables.some((table) => table.name === name))?.name ?? null
  const all = tables.map((table: Table) => ({ table, from: topicOf(before, table), to: topicOf(after, table) }))
  return all.filter(({ from, to }) => from !== to)
}
