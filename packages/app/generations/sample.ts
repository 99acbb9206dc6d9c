/**
 * The sample of a log for an estimate: whole spaces, in the order of their hashes, so the same log gives the same
 * sample. A space that is larger than the whole sample is cut: only its first events are taken. So memory holds no more
 * than the sample.
 */
import { covers, type DerivationScope } from '@loomlog/generations/derivation-scope'
import type { PlannedStage } from '@loomlog/generations/plan'
import type { Host } from '@loomlog/host/open'
import { misplacementOf } from '@loomlog/log/partition'
import type { SequencedEvent } from '@loomlog/runtime/processor'
import { admit } from '@loomlog/schemas/admission'
import type { SourceEvent, SpaceRecord } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import { eventsOf } from '../derived-events.ts'

/** Largest sample, in source events: a dry run over it takes some seconds, and holds them in memory. */
export const maxSampledEvents = 5_000

/** The chosen spaces, each with the number of its first source events that are taken. */
export type ChosenSpaces = ReadonlyMap<string, number>

export interface Sample {
  readonly chosen: ChosenSpaces
  /** Source events in the sample. */
  readonly sampled: number
  /** Source events in the scope. */
  readonly utterances: number
}

export async function sampleOf(
  { log, partitions }: Pick<Host, 'log' | 'partitions'>,
  scope: DerivationScope,
  most: number,
): Promise<Sample> {
  const counts = new Map<string, number>()
  for await (const records of log.read({ topic: 'utterances', until: 'end' })) {
    for (const record of records) {
      const { key } = record
      if (key === null || !covers(scope, key) || misplacementOf(record, partitions) !== null) continue
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const hashed = [...counts].map(([space, count]) => ({ space, count, order: hash(space) }))
  const chosen = new Map<string, number>()
  let sampled = 0
  for (const { space, count } of hashed.sort((a, b) => (a.order < b.order ? -1 : 1))) {
    if (sampled > 0 && sampled + count > most) break
    const taken = Math.min(count, most)
    chosen.set(space, taken)
    sampled += taken
  }
  return { chosen, sampled, utterances: [...counts.values()].reduce((sum, count) => sum + count, 0) }
}

/**
 * The input of the stage, from the log: the sampled source events with their seqs, or the events that were derived from
 * them.
 */
export async function inputOf(
  host: Host,
  { processor, reads }: Pick<PlannedStage, 'processor' | 'reads'>,
  chosen: ChosenSpaces,
): Promise<readonly SequencedEvent<SpaceRecord>[]> {
  const left = new Map(chosen)
  const nextSeqs = new Map<string, number>()
  const seen = new Map<string, string>()
  const found: SequencedEvent<SpaceRecord>[] = []
  for await (const { key, event } of eventsOf(host, reads)) {
    const taken = left.get(key)
    if (taken === undefined || !('space' in event) || !('id' in event)) continue
    if (reads !== 'utterances') {
      const derived = sequenced(event as SpaceRecord)
      // A space's events are in the order of the source events that caused them.
      if (derived.seq >= taken) left.delete(key)
      else if (processor.handles.includes(event.type)) found.push(derived)
      continue
    }
    const source = event as SourceEvent
    const passed = [...processor.handles, ...processor.writes.records]
    const admission = admit(source, key, passed, seen.get(`${key} ${source.id}`) ?? null)
    if (admission.outcome !== 'admitted') continue
    seen.set(`${key} ${source.id}`, admission.content)
    const seq = nextSeqs.get(key) ?? 0
    nextSeqs.set(key, seq + 1)
    found.push({ ...source, seq })
    if (seq + 1 === taken) left.delete(key)
  }
  return found
}

/** A source event that no stage has sequenced gets 0. */
export function sequenced(event: SpaceRecord): SequencedEvent<SpaceRecord> {
  return { ...event, seq: ('seq' in event ? event.seq : null) ?? 0 }
}
