/** Roles of authors, as utterances have them. */
import type { Role } from '@loomlog/schemas/events'

export const roles = ['human', 'agent', 'tool', 'system'] as const satisfies readonly Role[]

export function isRole(text: string): text is Role {
  return roles.some((role) => role === text)
}
