/** Resolves a generation by `live`, its id, a prefix of its id, or its name. */
import { LoomlogError } from '@loomlog/errors'
import { expectedStoredName, nameFrom } from '@loomlog/schemas/names'
import { covers } from './derivation-scope.ts'
import { type Generation, type Generations, scopeOf } from './generations.ts'
import { liveGeneration } from './pointers.ts'

/** The name that means the live generation. */
const liveName = 'live'

/**
 * The generation of this name, id or prefix of an id. A name that a removed generation had belongs to the one that has
 * it now.
 *
 * @param tenant the tenant whose live generation is meant by `live`; null: everyone
 * @throws LoomlogError `not-found`, `input-invalid`
 */
export function findGeneration(known: Generations, wanted: string, tenant: string | null = null): Generation {
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
    `${wanted} may be ${found.map(({ id }) => id).join(' or ')}: give more digits of the id`,
  )
}

function liveFor(known: Generations, tenant: string | null): Generation {
  const live = known.generations.get(liveGeneration(known, tenant)?.generation ?? '')
  if (live) return live
  throw new LoomlogError('not-found', 'no generation is live yet: run loomlog ingest or loomlog up')
}

/** Why a generation can't have this name; null: it can. A removed generation's name is free. */
export function nameRefusal(known: Generations, name: string): string | null {
  if (name.trim() === '') return 'it is empty'
  if (nameFrom(name) !== name) return `expected ${expectedStoredName}`
  if (name === liveName) return 'that name means the live generation'
  const [other] = [...known.generations.values()].filter(
    (each) => each.status !== 'removed' && (each.name === name || each.id.startsWith(name)),
  )
  return other === undefined ? null : `generation ${other.id} has this name`
}

/**
 * The generation to read, live or not.
 *
 * @param spaces `tenant/space`
 * @throws LoomlogError `not-found`, `input-invalid`; `generation-refused` if it has no views of these spaces
 */
export function findReadableGeneration(known: Generations, wanted: string, spaces: readonly string[]): Generation {
  const [tenant = null] = spaces[0]?.split('/') ?? []
  const generation = findGeneration(known, wanted, tenant)
  const { id, status } = generation
  if (status === 'defined') throw refused(`${id} is not started, so nothing is derived: run loomlog generation start`)
  if (status === 'removing' || status === 'removed') throw refused(`${id} is ${status}: its views are gone`)
  const missing = spaces.find((space) => !covers(scopeOf(known, generation), space))
  if (missing === undefined) return generation
  // The message doesn't name the covered spaces: they may be another tenant's.
  throw refused(`${id} does not cover ${missing}`)
}

function refused(why: string): LoomlogError {
  return new LoomlogError('generation-refused', why)
}
