/**
 * Who is believed before whom: people before agents, tools and systems; what a person set right before what was understood of what
 * they said; and what is pinned before everything.
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

export function highest(ranks: readonly Rank[]): Rank {
  return order.findLast((rank) => ranks.includes(rank)) ?? 'reported'
}

/** People know about themselves; agents, tools and systems only say what they say. */
export function trust(role: Role): number {
  return role === 'human' ? 1 : 0
}

/**
 * May a value take the other's place in time? What a person says later may end what was corrected before: lives change. What is
 * pinned stands until the pin is retracted.
 */
export function mayEnd(by: { readonly role: Role; readonly rank: Rank }, value: typeof by): boolean {
  return (by.rank === 'pinned' || value.rank !== 'pinned') && trust(by.role) >= trust(value.role)
}
