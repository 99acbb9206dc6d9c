/**
 * The entry of a fact, merged with the entries that it repeats: all their facts and sources, from the earliest time on.
 * The words are the fact's own, unless it only repeats an entry of higher rank (a person's, or a correction's), or one
 * of equal rank that says more: then that entry's words stay.
 */

import type { PlacedEntry } from '../documents/term-index.ts'
import { type Entry, type Fact, maxSources } from '../state.ts'
import { prevailingEntry } from './lossless-merges.ts'
import { highestRank, rankOf, trust } from './rank.ts'
import { heldAt, validFrom } from './reconciliation.ts'

export function mergedEntry(
  fact: Fact,
  same: readonly PlacedEntry[],
  { heading, isOneOfSeveral, askedAs, slot }: Pick<Entry, 'heading' | 'isOneOfSeveral' | 'askedAs' | 'slot'>,
): Entry {
  const merged = same.map(({ entry }) => entry)
  const rank = rankOf(fact)
  const prevailing = prevailingEntry(fact, merged)
  const { text, until, speaker, role, subject, keywords } = prevailing ?? fact
  // Only speakers as trusted as the one whose words stay determine the time.
  const { saidAt, when } = fact
  const own = { role: fact.role, when, saidAt, validFrom: validFrom(fact), heldAt: heldAt(fact) }
  const statements = [own, ...merged]
  const times = statements.filter((each) => trust(each.role) === trust(role))
  return {
    kind: 'topic',
    heading,
    isOneOfSeveral,
    askedAs,
    text,
    factKind: prevailing?.factKind ?? fact.kind,
    when: times.find(({ when }) => when !== null)?.when ?? null,
    validFrom: Math.min(...times.map((each) => each.validFrom)),
    until,
    saidAt: Math.max(...times.map((each) => each.saidAt)),
    heldAt: Math.max(...times.map((each) => each.heldAt)),
    speaker,
    role,
    rank: highestRank([rank, ...merged.map((entry) => entry.rank)]),
    subject,
    keywords,
    facts: newest([...merged.flatMap((entry) => entry.facts), fact.id]),
    sources: newest([...merged.flatMap((entry) => entry.sources), ...fact.sources]),
    slot,
    twin: null,
  }
}

/** Distinct ids, the newest ones. */
function newest(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].slice(-maxSources)
}
