/**
 * The spaces that a derivation covers: all, those of one tenant, a list, or a random sample with a fixed seed. The
 * scope is part of the recipe, so a sample is another derivation than the whole. The model's answers are recorded by
 * content, so deriving the whole afterwards reuses them.
 */
import { hash } from '@loomlog/schemas/ids'

export type DerivationScope =
  | 'all'
  | { readonly tenant: string }
  /** `tenant/space`, in order. */
  | { readonly spaces: readonly string[] }
  /** Over 0 and below 1. */
  | { readonly share: number; readonly seed: number }

/** @param space `tenant/space` */
export function covers(scope: DerivationScope, space: string): boolean {
  if (scope === 'all') return true
  if ('tenant' in scope) return space.startsWith(`${scope.tenant}/`)
  if ('spaces' in scope) return scope.spaces.includes(space)
  return Number.parseInt(hash([scope.seed, space]).slice(0, 13), 16) / 16 ** 13 < scope.share
}

/** Whether the scope holds all spaces of a tenant, or of everyone (null). */
export function coversAllOf(scope: DerivationScope, tenant: string | null): boolean {
  return scope === 'all' || (typeof scope === 'object' && 'tenant' in scope && scope.tenant === tenant)
}

/** The scope as text, for people. */
export function formatScope(scope: DerivationScope): string {
  if (scope === 'all') return 'all spaces'
  if ('tenant' in scope) return `tenant ${scope.tenant}`
  if ('spaces' in scope) return `the spaces ${scope.spaces.join(', ')}`
  return `${scope.share * 100} % of the spaces (seed ${scope.seed})`
}
