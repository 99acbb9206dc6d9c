/** Scopes: the kinds of request that a caller may make. A key or a token holds some of them. */

export const scopes = ['append', 'instruct', 'recall', 'subscribe', 'correct', 'forget', 'administer'] as const

export type Scope = (typeof scopes)[number]

export function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text)
}
