/** The further readings of a file: its events in batches, each conversation and each space with its pause. */
import type { ConversationPaused, SpacePaused, UtteranceAppended } from '@loomlog/schemas/events'
import { formatsByName } from '../formats/registry.ts'
import type { ImportPlan, PlanOptions } from './plan.ts'
import type { ImportSource } from './source.ts'
import { type PlacedUtterance, valueReader } from './utterances.ts'

export type ImportedEvent = UtteranceAppended | ConversationPaused | SpacePaused

/** Events of one batch, or of the batches of several tenants: all in memory at once, some 10 MB. */
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
  let growing = new GrowingBatches()
  let number = 0
  for await (const placed of utterancesOf(source, options)) {
    if (!growing.takes(placed)) {
      yield* growing.batches
      growing = new GrowingBatches()
    }
    number += 1
    growing.add(placed, last.pausesAfter(placed.utterance, number))
  }
  yield* growing.batches
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

interface GrowingBatch extends ImportBatch {
  readonly events: ImportedEvent[]
  readonly where: Map<ImportedEvent, string>
}

/** One batch a tenant, as lines of several tenants may alternate. The limits are those of all together. */
class GrowingBatches {
  readonly #byTenant = new Map<string, GrowingBatch>()
  #events = 0
  #chars = 0

  get batches(): Iterable<ImportBatch> {
    return this.#byTenant.values()
  }

  /** Lines that name the command's tenant, and lines that name none, are of one space: their order stays. */
  takes({ utterance, isTenantNamed }: PlacedUtterance): boolean {
    const before = this.#byTenant.get(utterance.tenant)
    const isOther = before !== undefined && (before.tenant !== null) !== isTenantNamed
    return !isOther && this.#events < batchEvents && this.#chars < batchChars
  }

  add({ utterance, where, isTenantNamed }: PlacedUtterance, pauses: readonly ImportedEvent[]): void {
    const { tenant, text } = utterance
    const made = { events: [], where: new Map(), tenant: isTenantNamed ? tenant : null }
    const batch: GrowingBatch = this.#byTenant.get(tenant) ?? made
    this.#byTenant.set(tenant, batch)
    batch.where.set(utterance, where)
    batch.events.push(utterance, ...pauses)
    this.#events += 1 + pauses.length
    this.#chars += text.length
  }
}
