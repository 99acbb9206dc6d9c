/** What is known of generations at one point of the log: which there are, what is being done for each, and who answers for whom. */
import type {
  DerivationDefined,
  GenerationDefined,
  GenerationPromoted,
  GenerationStatus,
  GenerationStatusChanged,
} from '@loomlog/schemas/events'
import type { Recipe } from './recipe.ts'
import { coversAllOf, type Scope } from './scope.ts'

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
  /** What was chosen by --set, as `stage.key` to value. */
  readonly chosen: { readonly [key: string]: string }
  readonly definedAt: number
  readonly status: GenerationStatus
  readonly startedAt: number | null
  /** The share of the time that it may work beside live work; null: the default. */
  readonly share: number | null
}

/** Who answers for one tenant, or for everyone who has no pointer of their own. */
export interface Pointer {
  /** What answered, oldest first: the last one does now, and rolling back goes to the one before. Empty: a tenant follows everyone. */
  readonly trail: readonly string[]
  /** How many promotions there had been, this one included: rises with every change. */
  readonly epoch: number
  readonly at: number
}

export type GenerationEvent = DerivationDefined | GenerationDefined | GenerationStatusChanged | GenerationPromoted

export interface Happening {
  readonly event: GenerationStatusChanged | GenerationPromoted
  /** Why it took no effect; null: it did. */
  readonly refused: string | null
}

export interface Generations {
  readonly derivations: ReadonlyMap<string, Derivation>
  readonly generations: ReadonlyMap<string, Generation>
  readonly everyone: Pointer | null
  readonly tenants: ReadonlyMap<string, Pointer>
  /** Promotions that took effect so far. */
  readonly epoch: number
  readonly history: readonly Happening[]
}

export const noGenerations: Generations = {
  derivations: new Map(),
  generations: new Map(),
  everyone: null,
  tenants: new Map(),
  epoch: 0,
  history: [],
}

/** Which spaces it covers: derivations that it shares with another generation may cover more. */
export function scopeOf(known: Generations, generation: Pick<Generation, 'derivations'>): Scope {
  const scopes = Object.values(generation.derivations).map((id) => known.derivations.get(id)?.recipe.scope ?? 'all')
  return scopes.find((scope) => scope !== 'all') ?? 'all'
}

/** Why it can't answer for them; null: it can. @param tenant null: everyone */
export function coverageRefused(known: Generations, generation: Generation, tenant: string | null): string | null {
  if (coversAllOf(scopeOf(known, generation), tenant)) return null
  return `${generation.id} does not cover all spaces of ${tenant === null ? 'everyone' : tenant}`
}
