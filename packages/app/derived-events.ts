/** Reads derived topics: counts of each kind of event, and the canonical dump that replays are compared by. */
import { isLoomlogError } from '@loomlog/errors'
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import type { Host } from '@loomlog/host/open'
import { misplacementOf } from '@loomlog/log/partition'
import { type DerivedRecord, isEvent, type LogEvent, type SourceEvent } from '@loomlog/schemas/events'
import { canonicalJson, type Json, spaceKey } from '@loomlog/schemas/ids'

/**
 * Every event of a topic, partition by partition in the order of the log; without records that can't be decoded or are
 * in a wrong partition.
 */
export async function* eventsOf(
  host: Host,
  topic: string,
): AsyncGenerator<{ readonly key: string; readonly event: LogEvent }> {
  for await (const records of host.log.read({ topic, until: 'end' })) {
    for (const record of records) {
      if (record.key === null || misplacementOf(record, host.partitions) !== null) continue
      const event = await host.codec.decodeOrNull(record.value)
      if (event !== null) yield { key: record.key, event }
    }
  }
}

/** By topic, the offset after its last record in each partition. */
export type TopicEnds = ReadonlyMap<string, readonly number[]>

/** The ends of the topics that the generation's stages write. A copied log lacks them until they are derived. */
export async function endsOfDerived({ log }: Pick<Host, 'log'>, { stages }: ServingGeneration): Promise<TopicEnds> {
  const ends = stages.map(async ({ writes }) => [writes, await log.endOffsets(writes).catch(noneYet)] as const)
  return new Map(await Promise.all(ends))
}

function noneYet(error: unknown): readonly number[] {
  if (isLoomlogError(error, 'topic-unknown')) return []
  throw error
}

/** The part of a log that an append added, and its effects. */
export interface AppendedPart {
  readonly events: readonly Pick<SourceEvent, 'tenant' | 'space' | 'id'>[]
  /** Of the derived topics before the append; a topic that it lacks counts from its beginning. */
  readonly since: TopicEnds
}

/**
 * How many events of each kind the generation's stages have derived from these source events since then. An event
 * counts if one of its causes is among them, so those that others cause in the same spaces meanwhile are left out.
 */
export async function countDerived(
  { log, codec }: Pick<Host, 'log' | 'codec'>,
  { stages }: ServingGeneration,
  { events, since }: AppendedPart,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const spaces = new Set(events.map(({ tenant, space }) => spaceKey(tenant, space)))
  // Ids are unique within a space only.
  const causes = new Set(events.map(({ tenant, space, id }) => causeKey(spaceKey(tenant, space), id)))
  for (const { writes: topic } of stages) {
    const from = new Map((since.get(topic) ?? []).entries())
    for await (const records of log.read({ topic, from, until: 'end' })) {
      for (const { key, value } of records) {
        const event = key !== null && spaces.has(key) ? await codec.decodeOrNull(value) : null
        if (key === null || event === null || !isCausedBy(event, key, causes)) continue
        causes.add(causeKey(key, event.id))
        counts[event.type] = (counts[event.type] ?? 0) + 1
      }
    }
  }
  return counts
}

function isCausedBy(event: LogEvent, space: string, causes: ReadonlySet<string>): event is DerivedRecord {
  return 'lineage' in event && event.lineage.causes.some((cause) => causes.has(causeKey(space, cause)))
}

function causeKey(space: string, id: string): string {
  return `${space}/${id}`
}

/** One event of the canonical dump, without log times. */
export interface DumpLine {
  readonly stage: string
  /** `tenant/space` */
  readonly space: string
  readonly event: Json
}

/**
 * The canonical dump: per stage and space, in the space's order, from its last forgetting on. Equal dumps mean the same
 * memory: a missing, doubled or misplaced event changes the dump.
 */
export async function canonicalDump(host: Host, serving: ServingGeneration): Promise<DumpLine[]> {
  const lines: DumpLine[] = []
  for (const { stage, writes } of serving.stages) {
    const bySpace = new Map<string, DumpLine[]>()
    for await (const { key, event } of eventsOf(host, writes)) {
      if (isEvent('SubjectForgotten', event) && spaceKey(event.tenant, event.space) === key) {
        bySpace.delete(key)
        continue
      }
      const { knownAt: _known, appendedAt: _appended, ...timeless } = event as { knownAt?: number; appendedAt?: number }
      const line = { stage, space: key, event: timeless as Json }
      const ofSpace = bySpace.get(key)
      if (ofSpace) ofSpace.push(line)
      else bySpace.set(key, [line])
    }
    // One by one: a call takes no more than about 120,000 arguments.
    for (const key of [...bySpace.keys()].sort()) for (const line of bySpace.get(key) ?? []) lines.push(line)
  }
  return lines
}

export function dumpText({ stage, space, event }: DumpLine): string {
  return `${stage} ${space} ${canonicalJson(event)}`
}
