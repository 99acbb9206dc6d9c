/**
 * Selects, of the entries that a fact repeats, those that it is merged with. The merged entry keeps every name, number,
 * date and denial of all of them. Earlier facts of a batch may have given an entry other words than the plan was shown,
 * so this is decided when the fact is recorded.
 */

import type { PlacedEntry } from '../documents/term-index.ts'
import type { Entry, Fact } from '../state.ts'
import { isOtherMatter, lostWords } from './grounded-words.ts'
import { outranks, type Rank, rankOf } from './rank.ts'

type Words = Pick<Entry, 'text' | 'factKind' | 'when'> & { readonly rank: Rank }

/**
 * At most one entry of a higher rank is among them: its words stay, and must say everything that the fact says. So an
 * agent's fact never merges two entries of persons.
 */
export function losslessMerges(fact: Fact, repeated: readonly PlacedEntry[]): readonly PlacedEntry[] {
  const own = wordsOf(fact)
  const like = repeated.filter(({ entry }) => !isOtherMatter(entry, fact))
  const kept = prevailingEntry(
    fact,
    like.map(({ entry }) => entry),
  )
  return like.filter(
    ({ entry }) => entry === kept || (!outranks(entry.rank, own.rank) && !losesWords(entry, kept ?? own)),
  )
}

/**
 * The entry whose words stay when the fact is merged with it: one of a higher rank, else one of equal rank that says
 * more. Undefined: the fact's stay.
 */
export function prevailingEntry(fact: Fact, repeated: readonly Entry[]): Entry | undefined {
  const own = wordsOf(fact)
  const above = repeated.find((entry) => outranks(entry.rank, own.rank) && !losesWords(own, entry))
  return above ?? repeated.find((entry) => entry.rank === own.rank && saysMore(entry, own))
}

/** Whether `one` has every name, number, date and denial of `other`, and more of them. */
export function saysMore(one: Words, other: Words): boolean {
  return !losesWords(other, one) && losesWords(one, other)
}

function losesWords(given: Words, kept: Words): boolean {
  return lostWords(statement(given), statement(kept)).length > 0
}

function wordsOf(fact: Fact): Words {
  return { text: fact.text, factKind: fact.kind, when: fact.when, rank: rankOf(fact) }
}

function statement({ text, factKind: kind, when }: Words) {
  return { text, kind, when }
}
