/** Marks a generation for removal, and removes the topics, state and views that only retired generations use. */
import { LoomlogError } from '@loomlog/errors'
import { changeRefusal } from '@loomlog/generations/fold'
import { garbageOf } from '@loomlog/generations/garbage'
import { findGeneration } from '@loomlog/generations/generation-names'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import type { GenerationStatus } from '@loomlog/schemas/events'
import { changeStatus } from './lifecycle.ts'
import { type RemovedParts, removable, remove } from './removal.ts'

export interface RetiredGeneration extends RemovedParts {
  readonly status: GenerationStatus
  /** After the change, as TOPIC/PARTITION@OFFSET; null: only listed. */
  readonly position: string | null
}

/**
 * @param mode `list`: only lists the parts that would be removed
 * @throws LoomlogError `generation-refused` for one that is live, or retired already; a listing too
 */
export async function retire(wanted: string, mode: 'retire' | 'list', host: Host): Promise<RetiredGeneration> {
  const known = await readGenerations(host.log, host.codec)
  const generation = findGeneration(known, wanted)
  const { id, status } = generation
  const change = { previous: status, status: 'retired', share: null } as const
  const refused = changeRefusal(known, { type: 'GenerationStatusChanged', generation: id, ...change, at: Date.now() })
  if (refused !== null) throw new LoomlogError('generation-refused', refused)
  const parts = await partsOf(host, known, { ...generation, status: 'retired' })
  if (mode === 'list') return { ...parts, status, position: null }
  const { position } = await changeStatus(host, id, change)
  return { ...parts, status: 'retired', position }
}

export interface GarbageCollection {
  readonly removed: readonly RemovedParts[]
  readonly dryRun: boolean
  /** After the last removal, as TOPIC/PARTITION@OFFSET; null: nothing was removed. */
  readonly position: string | null
}

/** @param mode `list`: removes nothing */
export async function collectRetired(mode: 'remove' | 'list', host: Host): Promise<GarbageCollection> {
  const known = await readGenerations(host.log, host.codec)
  const retired = [...known.generations.values()].filter(({ status }) => status === 'retired' || status === 'removing')
  const removed: RemovedParts[] = []
  let position: string | null = null
  for (const generation of retired) {
    if (mode === 'list') {
      removed.push(await partsOf(host, known, generation))
      continue
    }
    const removal = await remove(host, generation)
    removed.push(removal.parts)
    position = removal.position
  }
  return { removed, dryRun: mode !== 'remove', position }
}

async function partsOf(host: Host, known: Generations, generation: Generation): Promise<RemovedParts> {
  const garbage = garbageOf(known, generation, host.topics)
  return removable(host, generation, garbage ?? { stages: [], views: [] })
}
