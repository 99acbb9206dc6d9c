/** Generations by what people call them: their id, the start of it, or their name. */
import { LoomlogError } from '@loomlog/errors'
import { type Generation, type Generations, scopeOf } from './generations.ts'
import { covers } from './scope.ts'

/** By its id, the start of it, or its name. @throws LoomlogError `not-found`, `input-invalid` */
export function generationBy(known: Generations, wanted: string): Generation {
  const all = [...known.generations.values()]
  const exact = all.filter(({ id, name }) => id === wanted || name === wanted)
  const found = exact.length > 0 ? exact : all.filter(({ id }) => id.startsWith(wanted))
  const [generation, ...others] = found
  if (!generation)
    throw new LoomlogError('not-found', `there is no generation ${wanted}: loomlog generation list shows them`)
  if (others.length === 0) return generation
  throw new LoomlogError(
    'input-invalid',
    `${wanted} may be ${found.map(({ id }) => id).join(' or ')}: give more of the id`,
  )
}

/**
 * For who reads a memory as a generation has it, whether or not it answers for anybody.
 *
 * @param spaces `tenant/space`
 * @throws LoomlogError `not-found`, `input-invalid`; `generation-refused` where it has no views of these spaces
 */
export function readableBy(known: Generations, wanted: string, spaces: readonly string[]): Generation {
  const generation = generationBy(known, wanted)
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
