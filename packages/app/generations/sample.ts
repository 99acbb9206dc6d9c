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
import { isEvent, type LogEvent, type SourceEvent, type SpaceRecord } from '@loomlog/schemas/events'
import { hash, spaceKey } from '@loomlog/schemas/ids'
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
  const input = new SampledInput({ processor, reads }, chosen)
  for await (const { key, event } of eventsOf(host, reads)) input.note(key, event)
  return input.events
}

class SampledInput {
  readonly #stage: Pick<PlannedStage, 'processor' | 'reads'>
  readonly #chosen: ChosenSpaces
  /** Of the spaces whose sample is not complete yet. */
  readonly #left: Map<string, number>
  readonly #nextSeqs = new Map<string, number>()
  /** By space: the content of each id. */
  readonly #seen = new Map<string, Map<string, string>>()
  #found: SequencedEvent<SpaceRecord>[] = []

  constructor(stage: Pick<PlannedStage, 'processor' | 'reads'>, chosen: ChosenSpaces) {
    this.#stage = stage
    this.#chosen = chosen
    this.#left = new Map(chosen)
  }

  get events(): readonly SequencedEvent<SpaceRecord>[] {
    return this.#found
  }

  note(space: string, event: LogEvent): void {
    const isForgetting = isEvent('SubjectForgotten', event)
    if (isForgetting) this.#restart(space)
    const taken = this.#left.get(space)
    if (isForgetting || taken === undefined || !('space' in event) || !('id' in event)) return
    if (this.#stage.reads === 'utterances') this.#noteSource(space, event as SourceEvent, taken)
    else this.#noteDerived(space, event as SpaceRecord, taken)
  }

  /** Everything of the space so far is void. The marker has the first seq. */
  #restart(space: string): void {
    const taken = this.#chosen.get(space)
    if (taken === undefined) return
    this.#left.set(space, taken)
    this.#nextSeqs.set(space, 1)
    this.#seen.delete(space)
    this.#found = this.#found.filter((event) => spaceKey(event.tenant, event.space) !== space)
  }

  /** A space's events are in the order of the source events that caused them. */
  #noteDerived(space: string, event: SpaceRecord, taken: number): void {
    const derived = sequenced(event)
    if (derived.seq >= taken) this.#left.delete(space)
    else if (this.#stage.processor.handles.includes(event.type)) this.#found.push(derived)
  }

  #noteSource(space: string, source: SourceEvent, taken: number): void {
    const { processor } = this.#stage
    const seen = this.#seen.get(space) ?? new Map<string, string>()
    const passed = [...processor.handles, ...processor.writes.records]
    const admission = admit(source, space, passed, seen.get(source.id) ?? null)
    if (admission.outcome !== 'admitted') return
    this.#seen.set(space, seen.set(source.id, admission.content))
    const seq = this.#nextSeqs.get(space) ?? 0
    this.#nextSeqs.set(space, seq + 1)
    this.#found.push({ ...source, seq })
    if (seq + 1 === taken) this.#left.delete(space)
  }
}

/** A source event that no stage has sequenced gets 0. */
export function sequenced(event: SpaceRecord): SequencedEvent<SpaceRecord> {
  return { ...event, seq: ('seq' in event ? event.seq : null) ?? 0 }
}
