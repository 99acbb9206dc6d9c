/**
 * The rank of a fact: people rank above agents, tools and systems; a person's correction above derived facts; a pin
 * above all.
 */
import type { FactRecorded, Role } from '@loomlog/schemas/events'

export type Rank = 'reported' | 'stated' | 'corrected' | 'pinned'

const order: readonly Rank[] = ['reported', 'stated', 'corrected', 'pinned']

export function rankOf({ role, correction }: Pick<FactRecorded, 'role' | 'correction'>): Rank {
  if (role !== 'human') return 'reported'
  if (correction === null) return 'stated'
  return correction.action === 'pin' ? 'pinned' : 'corrected'
}

export function outranks(a: Rank, b: Rank): boolean {
  return order.indexOf(a) > order.indexOf(b)
}

export function highestRank(ranks: readonly Rank[]): Rank {
  return order.findLast((rank) => ranks.includes(rank)) ?? 'reported'
}

/** People know about themselves; agents, tools and systems only report. */
export function trust(role: Role): number {
  return role === 'human' ? 1 : 0
}

/**
 * Whether a value may end another one in time. A person's later statement may end a correction, because lives change. A
 * pinned value stays until the pin is retracted.
 */
export function mayEndValue(by: { readonly role: Role; readonly rank: Rank }, value: typeof by): boolean {
  return (by.rank === 'pinned' || value.rank !== 'pinned') && trust(by.role) >= trust(value.role)
}
