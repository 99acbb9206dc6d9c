/** Reads what was derived: counts of each kind, and the canonical dump that replays are compared by. */
import type { GenerationPlan } from '@loomlog/generations/plan'
import type { Host } from '@loomlog/host/open'
import type { LoomEvent } from '@loomlog/schemas/events'
import { canonicalJson, type Json } from '@loomlog/schemas/ids'

/** Every event of a topic, partition by partition in the order of the log; what can't be decoded is left out. */
export async function* eventsOf(
  host: Host,
  topic: string,
): AsyncGenerator<{ readonly key: string; readonly event: LoomEvent }> {
  for await (const records of host.log.read({ topic, until: 'end' })) {
    for (const record of records) {
      if (record.key !== null) yield { key: record.key, event: await host.codec.decode(record.value) }
    }
  }
}

/** How many events of each kind the generation's stages have made. */
export async function countDerived(host: Host, plan: GenerationPlan): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const stage of plan.stages) {
    for await (const { event } of eventsOf(host, stage.writes)) counts[event.type] = (counts[event.type] ?? 0) + 1
  }
  return counts
}

/**
 * The canonical dump: per space, in the space's order, one event a line, without log times. Equal dumps mean the same memory;
 * an event that is missing, doubled or out of order makes another.
 */
export async function canonicalDump(host: Host, plan: GenerationPlan): Promise<string[]> {
  const lines: string[] = []
  for (const stage of plan.stages) {
    const bySpace = new Map<string, string[]>()
    for await (const { key, event } of eventsOf(host, stage.writes)) {
      const { knownAt: _known, appendedAt: _appended, ...timeless } = event as { knownAt?: number; appendedAt?: number }
      const line = canonicalJson(timeless as Json)
      const of = bySpace.get(key)
      if (of) of.push(line)
      else bySpace.set(key, [line])
    }
    const { stage: name } = stage.processor
    for (const key of [...bySpace.keys()].sort()) {
      for (const line of bySpace.get(key) ?? []) lines.push(`${name} ${key} ${line}`)
    }
  }
  return lines
}
