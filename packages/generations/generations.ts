/** The generations at one point of the log, with their status and the live generation of each tenant. */
import type {
  DerivationDefined,
  GenerationDefined,
  GenerationPromoted,
  GenerationStatus,
  GenerationStatusChanged,
} from '@loomlog/schemas/events'
import { coversAllOf, type DerivationScope } from './derivation-scope.ts'
import type { Recipe } from './recipe.ts'

export interface Derivation {
  readonly id: string
  readonly stage: string
  readonly recipe: Recipe
  /** The prompts' whole text, by task. */
  readonly prompts: ReadonlyMap<string, string>
}

export interface Generation {
  readonly id: string
  /** Stage to derivation. */
  readonly derivations: { readonly [stage: string]: string }
  readonly viewEmbedder: string
  readonly name: string | null
  /** Settings chosen with --set, as `stage.key` to value. */
  readonly chosen: { readonly [key: string]: string }
  readonly definedAt: number
  readonly status: GenerationStatus
  readonly startedAt: number | null
  /** The share of time that background work may take beside live work; null: the default. */
  readonly share: number | null
}

/** The live generation of one tenant, or of all tenants without a pointer of their own. */
export interface LivePointer {
  /**
   * Live generations, oldest first. The last one is live now; a rollback returns to the one before. Empty: the tenant
   * follows everyone's pointer.
   */
  readonly liveHistory: readonly string[]
  /** The number of promotions up to this one: it rises with every change. */
  readonly epoch: number
  readonly at: number
}

export type GenerationEvent = DerivationDefined | GenerationDefined | GenerationStatusChanged | GenerationPromoted

export interface GenerationChange {
  readonly event: GenerationStatusChanged | GenerationPromoted
  /** Why the event was refused; null: it took effect. */
  readonly refused: string | null
}

export interface Generations {
  readonly derivations: ReadonlyMap<string, Derivation>
  readonly generations: ReadonlyMap<string, Generation>
  readonly everyone: LivePointer | null
  readonly tenants: ReadonlyMap<string, LivePointer>
  /** Number of promotions that took effect. */
  readonly epoch: number
  readonly history: readonly GenerationChange[]
}

export const noGenerations: Generations = {
  derivations: new Map(),
  generations: new Map(),
  everyone: null,
  tenants: new Map(),
  epoch: 0,
  history: [],
}

/** The spaces that a generation covers. Derivations that it shares with another generation may cover more. */
export function scopeOf(known: Generations, generation: Pick<Generation, 'derivations'>): DerivationScope {
  const scopes = Object.values(generation.derivations).map((id) => known.derivations.get(id)?.recipe.scope ?? 'all')
  return scopes.find((scope) => scope !== 'all') ?? 'all'
}

/** Why the generation can't be live for the tenant; null: it can. @param tenant null: everyone */
export function coverageRefusal(known: Generations, generation: Generation, tenant: string | null): string | null {
  if (coversAllOf(scopeOf(known, generation), tenant)) return null
  return `${generation.id} does not cover all spaces of ${tenant === null ? 'everyone' : tenant}`
}
