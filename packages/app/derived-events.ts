/** Reads derived topics: counts of each kind of event, and the canonical dump that replays are compared by. */
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import type { Host } from '@loomlog/host/open'
import type { LogEvent } from '@loomlog/schemas/events'
import { canonicalJson, type Json } from '@loomlog/schemas/ids'

/** Every event of a topic, partition by partition in the order of the log; records that can't be decoded are left out. */
export async function* eventsOf(
  host: Host,
  topic: string,
): AsyncGenerator<{ readonly key: string; readonly event: LogEvent }> {
  for await (const records of host.log.read({ topic, until: 'end' })) {
    for (const record of records) {
      const event = record.key === null ? null : await host.codec.decodeOrNull(record.value)
      if (record.key !== null && event !== null) yield { key: record.key, event }
    }
  }
}

/** How many events of each kind the generation's stages have derived. */
export async function countDerived(host: Host, serving: ServingGeneration): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const stage of serving.stages) {
    for await (const { event } of eventsOf(host, stage.writes)) counts[event.type] = (counts[event.type] ?? 0) + 1
  }
  return counts
}

/** One event of the canonical dump, without log times. */
export interface DumpLine {
  readonly stage: string
  /** `tenant/space` */
  readonly space: string
  readonly event: Json
}

/**
 * The canonical dump: per stage and space, in the space's order. Equal dumps mean the same
 * memory: a missing, doubled or misplaced event changes the dump.
 */
export async function canonicalDump(host: Host, serving: ServingGeneration): Promise<DumpLine[]> {
  const lines: DumpLine[] = []
  for (const { stage, writes } of serving.stages) {
    const bySpace = new Map<string, DumpLine[]>()
    for await (const { key, event } of eventsOf(host, writes)) {
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
