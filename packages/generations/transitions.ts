/**
 * The allowed status changes of a generation. A live generation must stay running. A generation can't start while one
 * of its streams is being deleted.
 */
import type { GenerationStatus, GenerationStatusChanged } from '@loomlog/schemas/events'
import type { Generation, Generations } from './generations.ts'
import { liveScopes } from './pointers.ts'

const next: { readonly [from in GenerationStatus]: readonly GenerationStatus[] } = {
  defined: ['running', 'retired'],
  running: ['paused', 'cancelled', 'retired'],
  paused: ['running', 'cancelled', 'retired'],
  cancelled: ['running', 'retired'],
  retired: ['running', 'removing'],
  removing: ['removed'],
  removed: ['running'],
}

export function statusRefusal(known: Generations, event: GenerationStatusChanged): string | null {
  const generation = known.generations.get(event.generation)
  if (!generation) return `there is no generation ${event.generation}`
  const { id, status } = generation
  if (event.status === status) return status === 'running' ? `${id} is already started` : `${id} is already ${status}`
  if (event.previous !== status) return `${id} is now ${status}, not ${event.previous}`
  if (!next[status].includes(event.status)) return `${id} is ${status}, and can't become ${event.status}`
  const served = liveScopes(known, id)
  if (event.status !== 'running' && served.length > 0) return `${id} is live for ${served.join(', ')}`
  if (event.status === 'running') return beingRemoved(known, generation)
  return null
}

function beingRemoved(known: Generations, generation: Generation): string | null {
  const wanted = new Set(Object.values(generation.derivations))
  for (const other of known.generations.values()) {
    if (other.status !== 'removing') continue
    if (Object.values(other.derivations).some((id) => wanted.has(id))) {
      return `${generation.id} shares a derivation with ${other.id}, which is being removed: wait for the end of the removal`
    }
  }
  return null
}
