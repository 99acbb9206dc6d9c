/** Generations by what people call them: `live`, their id, the start of it, or their name. */
import { LoomlogError } from '@loomlog/errors'
import { type Generation, type Generations, scopeOf } from './generations.ts'
import { answering } from './pointers.ts'
import { covers } from './scope.ts'

/** The one that answers, whichever that is. */
const liveName = 'live'

/**
 * `live`, its id, the start of it, or its name; a name that a removed one had is that of the one that has it now.
 *
 * @param tenant for whom `live` is meant; null: everyone
 * @throws LoomlogError `not-found`, `input-invalid`
 */
export function generationBy(known: Generations, wanted: string, tenant: string | null = null): Generation {
  if (wanted === liveName) return liveFor(known, tenant)
  const all = [...known.generations.values()]
  const exact = all.filter(({ id, name }) => id === wanted || name === wanted)
  const there = exact.filter(({ status }) => status !== 'removed')
  const found = there.length > 0 ? there : exact.length > 0 ? exact : all.filter(({ id }) => id.startsWith(wanted))
  const [generation, ...others] = found
  if (!generation)
    throw new LoomlogError('not-found', `there is no generation ${wanted}: loomlog generation list shows them`)
  if (others.length === 0) return generation
  throw new LoomlogError(
    'input-invalid',
    `${wanted} may be ${found.map(({ id }) => id).join(' or ')}: give more of the id`,
  )
}

function liveFor(known: Generations, tenant: string | null): Generation {
  const live = known.generations.get(answering(known, tenant)?.generation ?? '')
  if (live) return live
  throw new LoomlogError('not-found', 'nothing is derived yet, so nothing is live: loomlog ingest and loomlog up begin')
}

/** Why a generation can't be called so; null: it can. A name that only a removed one had is free. */
export function nameRefused(known: Generations, name: string): string | null {
  if (name.trim() === '') return 'it is empty'
  if (name === liveName) return 'that is what the generation that answers is called, whichever it is'
  const [other] = [...known.generations.values()].filter(
    (each) => each.status !== 'removed' && (each.name === name || each.id.startsWith(name)),
  )
  return other === undefined ? null : `generation ${other.id} is called so`
}

/**
 * For who reads a memory as a generation has it, whether or not it answers for anybody.
 *
 * @param spaces `tenant/space`
 * @throws LoomlogError `not-found`, `input-invalid`; `generation-refused` where it has no views of these spaces
 */
export function readableBy(known: Generations, wanted: string, spaces: readonly string[]): Generation {
  const [tenant = null] = spaces[0]?.split('/') ?? []
  const generation = generationBy(known, wanted, tenant)
  const { id, status } = generation
  if (status === 'defined')
    throw refused(`${id} is not started, so nothing was derived: loomlog generation start does it`)
  if (status === 'removing' || status === 'removed') throw refused(`${id} is ${status}: its views are gone`)
  const missing = spaces.find((space) => !covers(scopeOf(known, generation), space))
  if (missing === undefined) return generation
  // What it does cover may be another tenant's, and is not told.
  throw refused(`${id} does not cover ${missing}`)
}

function refused(why: string): LoomlogError {
  return new LoomlogError('generation-refused', why)
}
