/**
 * The live generation of everyone and of each tenant. A tenant's own pointer lasts until it names the same generation
 * as everyone's. A rollback is a promotion of the generation that was live before; another rollback goes back one
 * further.
 */
import type { GenerationPromoted } from '@loomlog/schemas/events'
import { coverageRefusal, type Generations, type LivePointer } from './generations.ts'

export interface LiveGeneration {
  readonly generation: string
  /** Rises with every change of this tenant's live generation. */
  readonly epoch: number
}

/**
 * The tenant's live generation; null before the first promotion.
 * @param tenant null: every tenant without a pointer of its own
 */
export function liveGeneration(known: Generations, tenant: string | null): LiveGeneration | null {
  const own = tenant === null ? undefined : known.tenants.get(tenant)
  const generation = own?.liveHistory.at(-1) ?? known.everyone?.liveHistory.at(-1)
  if (generation === undefined) return null
  const ownGeneration = own !== undefined && own.liveHistory.length > 0
  return { generation, epoch: ownGeneration ? own.epoch : Math.max(known.everyone?.epoch ?? 0, own?.epoch ?? 0) }
}

/** The scopes in which the generation is live: `everyone`, and tenants by name. */
export function liveScopes(known: Generations, generation: string): readonly string[] {
  const tenants = [...known.tenants].filter(([, { liveHistory }]) => liveHistory.at(-1) === generation)
  const everyone = known.everyone?.liveHistory.at(-1) === generation ? ['everyone'] : []
  return [...everyone, ...tenants.map(([tenant]) => `tenant ${tenant}`)]
}

/** Every generation that is live for everyone or a tenant. */
export function liveGenerations(known: Generations): ReadonlySet<string> {
  const pointers = [known.everyone, ...known.tenants.values()]
  return new Set(pointers.map((pointer) => pointer?.liveHistory.at(-1)).filter((id) => id !== undefined))
}

/** The generation that a rollback returns to; null: none was live before. */
export function previousLiveGeneration(known: Generations, tenant: string | null): string | null {
  const pointer = tenant === null ? known.everyone : known.tenants.get(tenant)
  return pointer?.liveHistory.at(-2) ?? null
}

/**
 * The time at which another generation replaced this one; null: it was never live for the tenant, or is.
 * @param tenant null: everyone
 */
export function replacedAt(known: Generations, generation: string, tenant: string | null): number | null {
  if (liveGeneration(known, tenant)?.generation === generation) return null
  const replacement = known.history.findLast(
    ({ event, refused }) =>
      event.type === 'GenerationPromoted' &&
      event.previous === generation &&
      event.tenant === tenant &&
      refused === null,
  )
  return replacement?.event.at ?? null
}

export function promotionRefusal(known: Generations, event: GenerationPromoted): string | null {
  const generation = known.generations.get(event.generation)
  if (!generation) return `there is no generation ${event.generation}`
  const now = liveGeneration(known, event.tenant)?.generation ?? null
  const whom = event.tenant === null ? 'everyone' : `tenant ${event.tenant}`
  if (now === event.generation) return `${event.generation} is live for ${whom} already`
  if (now !== event.previous) return `${now ?? 'none'} is now live for ${whom}, not ${event.previous ?? 'none'}`
  const isFirst = now === null && event.tenant === null && generation.status === 'defined'
  if (generation.status !== 'running' && !isFirst) return `${generation.id} is ${generation.status}, not running`
  if (event.cause === 'rolledBack' && previousLiveGeneration(known, event.tenant) !== event.generation) {
    return `${event.generation} is not the generation that was live before for ${whom}`
  }
  return coverageRefusal(known, generation, event.tenant)
}

/** The event must not be refused. The first generation of a log runs from its promotion. */
export function withPromotion(known: Generations, event: GenerationPromoted): Generations {
  const epoch = known.epoch + 1
  const pointer = (liveHistory: readonly string[]): LivePointer => ({ liveHistory, epoch, at: event.at })
  const tenants = new Map(known.tenants)
  if (event.tenant !== null) {
    const liveHistory = liveHistoryAfter(
      known.tenants.get(event.tenant)?.liveHistory ?? [],
      known.everyone?.liveHistory.at(-1),
      event,
    )
    const joins = known.everyone?.liveHistory.at(-1) === event.generation
    return { ...known, epoch, tenants: tenants.set(event.tenant, pointer(joins ? [] : liveHistory)) }
  }
  for (const [tenant, { liveHistory }] of tenants)
    if (liveHistory.at(-1) === event.generation) tenants.set(tenant, pointer([]))
  const generations = new Map(known.generations)
  const before = generations.get(event.generation)
  if (before?.status === 'defined') generations.set(before.id, { ...before, status: 'running', startedAt: event.at })
  return {
    ...known,
    epoch,
    tenants,
    generations,
    everyone: pointer(liveHistoryAfter(known.everyone?.liveHistory ?? [], undefined, event)),
  }
}

function liveHistoryAfter(
  liveHistory: readonly string[],
  followed: string | undefined,
  event: GenerationPromoted,
): readonly string[] {
  if (event.cause === 'rolledBack') return liveHistory.slice(0, -1)
  const before = liveHistory.length === 0 && followed !== undefined ? [followed] : liveHistory
  return [...before, event.generation]
}
