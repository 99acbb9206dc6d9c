/** Finds the methods of a path, for the reply to a request with another method (405). */
import type { DeclaredRoute } from './access/route-access.ts'

/** Empty: there is no such path. */
export function methodsAt(url: string, routes: readonly DeclaredRoute[]): readonly string[] {
  const path = (url.split('?')[0] ?? '').split('/')
  const found = routes.filter(({ url: pattern }) => isAt(pattern.split('/'), path))
  return [...new Set(found.map(({ method }) => method))].sort()
}

function isAt(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.length !== path.length) return false
  return pattern.every((part, at) => (part.startsWith(':') ? path[at] !== '' : part === path[at]))
}
