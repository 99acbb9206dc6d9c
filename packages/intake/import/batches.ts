/** The further readings of a file: its events in batches, each conversation and each space with its pause. */
import type { ConversationPaused, SpacePaused, UtteranceAppended } from '@loomlog/schemas/events'
import { formatsByName } from '../formats/registry.ts'
import type { ImportPlan, PlanOptions } from './plan.ts'
import type { ImportSource } from './source.ts'
import { type PlacedUtterance, valueReader } from './utterances.ts'

export type ImportedEvent = UtteranceAppended | ConversationPaused | SpacePaused

/** Events of an append: all in memory at once, some 10 MB. */
const batchEvents = 5_000
/** A batch of long texts ends earlier. */
const batchChars = 16_000_000

export interface ImportBatch {
  readonly events: readonly ImportedEvent[]
  /** The tenant that the entries name; null: they name none, and it is that of the command. */
  readonly tenant: string | null
  /** The place of each utterance in the file. */
  readonly where: ReadonlyMap<ImportedEvent, string>
}

/** @throws LoomlogError for a fault, which a file has only if it has changed since its plan */
export async function* importBatches(
  source: ImportSource,
  { last }: ImportPlan,
  options: PlanOptions,
): AsyncGenerator<ImportBatch> {
  let batch = new GrowingBatch(null)
  let number = 0
  for await (const placed of utterancesOf(source, options)) {
    const tenant = placed.isTenantNamed ? placed.utterance.tenant : null
    if (batch.isFull || tenant !== batch.tenant) {
      if (batch.events.length > 0) yield batch
      batch = new GrowingBatch(tenant)
    }
    number += 1
    batch.add(placed, last.pausesAfter(placed.utterance, number))
  }
  if (batch.events.length > 0) yield batch
}

async function* utterancesOf(
  source: ImportSource,
  { recognised: { format, layout }, reading, signal }: PlanOptions,
): AsyncGenerator<PlacedUtterance> {
  const read = valueReader(formatsByName[format], reading)
  for await (const raw of source.values(layout)) {
    if (signal.aborted) return
    for (const result of read(raw)) {
      if ('fault' in result) throw result.fault
      if ('utterance' in result) yield result
    }
  }
}

class GrowingBatch implements ImportBatch {
  readonly events: ImportedEvent[] = []
  readonly where = new Map<ImportedEvent, string>()
  readonly tenant: string | null
  #chars = 0

  constructor(tenant: string | null) {
    this.tenant = tenant
  }

  get isFull(): boolean {
    return this.events.length >= batchEvents || this.#chars >= batchChars
  }

  add({ utterance, where }: PlacedUtterance, pauses: readonly ImportedEvent[]): void {
    this.#chars += utterance.text.length
    this.where.set(utterance, where)
    this.events.push(utterance, ...pauses)
  }
}
