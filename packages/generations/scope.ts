/**
 * Which spaces a derivation covers: all of them, those of one tenant, or a sample, named one by one or drawn by chance that is
 * fixed by its seed. Part of the recipe: a sample is another derivation than the whole. What was asked for it is recorded by content,
 * so that deriving the whole afterwards pays for none of it again.
 */
import { hash } from '@loomlog/schemas/ids'

export type Scope =
  | 'all'
  | { readonly tenant: string }
  /** `tenant/space`, in order. */
  | { readonly spaces: readonly string[] }
  /** Over 0 and below 1. */
  | { readonly share: number; readonly seed: number }

/** @param space `tenant/space` */
export function covers(scope: Scope, space: string): boolean {
  if (scope === 'all') return true
  if ('tenant' in scope) return space.startsWith(`${scope.tenant}/`)
  if ('spaces' in scope) return scope.spaces.includes(space)
  return Number.parseInt(hash([scope.seed, space]).slice(0, 13), 16) / 16 ** 13 < scope.share
}

/** Are all the spaces of a tenant, or of everyone (null), in it? */
export function coversAllOf(scope: Scope, tenant: string | null): boolean {
  return scope === 'all' || (typeof scope === 'object' && 'tenant' in scope && scope.tenant === tenant)
}

/** For people. */
export function scopeText(scope: Scope): string {
  if (scope === 'all') return 'all spaces'
  if ('tenant' in scope) return `tenant ${scope.tenant}`
  if ('spaces' in scope) return `the spaces ${scope.spaces.join(', ')}`
  return `${scope.share * 100} % of the spaces (seed ${scope.seed})`
}
