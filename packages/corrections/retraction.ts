/** The retraction of every memory with a given origin, as a request in JSON. */
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { timeFrom } from '@loomlog/recall/parameters'
import type { Role } from '@loomlog/schemas/events'
import { planUndo, type UndoCauses, type UndoOptions, type UndoPlan } from './undo.ts'

/** The causes, at least one, and the author. Times are a day, or a time with a zone. */
export interface Retraction extends Omit<UndoCauses, 'from' | 'to'> {
  readonly from?: string
  readonly to?: string
  readonly by: string
  readonly role: Role
  readonly reason: string | null
  /** Only lists the affected memories. */
  readonly dryRun: boolean
}

export interface RetractionPlan extends UndoPlan {
  readonly dryRun: boolean
  /** Ids of the events. A dry run has no events. */
  readonly ids: readonly string[]
}

/** @throws LoomlogError as `planUndo` */
export async function planRetraction(
  { by, role, reason, dryRun, from, to, ...causes }: Retraction,
  place: SpaceAddress,
  options: UndoOptions,
): Promise<RetractionPlan> {
  const times = {
    ...(from !== undefined && { from: timeFrom('from', from) }),
    ...(to !== undefined && { to: timeFrom('to', to) }),
  }
  const plan = await planUndo({ ...causes, ...times }, { place, by, role, reason, at: Date.now() }, options)
  const events = dryRun ? [] : plan.events
  return { ...plan, dryRun, events, ids: events.map(({ id }) => id) }
}
