/**
 * The memories that replace outdated candidates. An outdated utterance ("I live in Lisbon") matches a question as well as ever, and its
 * replacement ("I moved last week") may share no word with it. So the replacement is returned with it, with at least its score. Where no rule made a fact
 * of either, the learned recogniser of changes decides.
 */
import { readMessage } from '@loomlog/language/change'
import { likelyChanges } from '@loomlog/language/likely-change'
import type { Role } from '@loomlog/schemas/events'
import type { FactRow } from '@loomlog/views/tables/facts'
import { byTime, type Memory, type Scored } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { Scope } from '../request/scope.ts'
import { memoize } from '../text/memoize.ts'
import type { TableHits } from './search-table.ts'
import { replacementsOf } from './superseded-facts.ts'
import { withoutSpeaker } from './wording.ts'

/** For each outdated utterance, the ids of the utterances or of the facts of corrections that replace it. */
export type Replacements = ReadonlyMap<string, readonly string[]>

/** Best facts that are checked for being superseded. */
const maxCheckedFacts = 40

/** An utterance is outdated if its best fact is superseded; other facts from it may still hold. */
export async function findReplacements(
  facts: TableHits<FactRow>,
  { space, scope }: { readonly space: string; readonly scope: Scope },
  { views }: Pick<RecallOptions, 'views'>,
): Promise<Replacements> {
  const factByUtterance = bestFacts(facts)
  const ids = new Set([...factByUtterance.values()].map((fact) => fact.id))
  const byFact = await replacementsOf([...ids].slice(0, maxCheckedFacts), { space, asOf: scope.asOf }, views)
  const byUtterance = new Map<string, readonly string[]>()
  for (const [utterance, fact] of factByUtterance) {
    const { sources = [], facts: stated = [] } = byFact.get(fact.id) ?? {}
    const instead = correctedBy(fact).includes(utterance) ? [fact.id] : [...sources, ...stated]
    const others = instead.filter((id) => id !== utterance)
    if (others.length > 0) byUtterance.set(utterance, others)
  }
  return byUtterance
}

/** Only the start of a longer message is read for changes. */
const maxReadCharacters = 4_000

/** Reading takes longer than comparing, and the same messages are candidates again and again. */
const read = memoize({ texts: 8_192, characters: maxReadCharacters }, readMessage)

/** By message, the newer one that may change it and comes before it. */
export type Updates = ReadonlyMap<string, string>

/**
 * Changes that are not recorded as facts: a later utterance says that something of an earlier one changed. Chains are followed, so each outdated
 * utterance names all that replaced it. An agent's guess outdates no line of a person. A likely change only orders the two.
 *
 * @param best ids of the utterances that may be found outdated. A message that states a change may be, too: it is a link of a chain
 */
export function findChanges(
  replacements: Replacements,
  candidates: readonly { readonly memory: Memory; readonly role: Role | null }[],
  best: ReadonlySet<string>,
): { readonly replacements: Replacements; readonly updates: Updates } {
  const told = candidates
    .filter(({ memory }) => memory.kind === 'utterance')
    .toSorted((a, b) => byTime(a.memory, b.memory))
    .map(({ memory, role }) => {
      const { id, speaker, at } = memory
      const isPerson = role === null || role === 'human'
      return { id, speaker, at: at ?? 0, isPerson, read: read(startOf(withoutSpeaker(memory))) }
    })
  const changes = likelyChanges(told, new Set(told.filter(({ id, read }) => best.has(id) || read.changes.length > 0)))
  const found = new Map(replacements)
  const updates = new Map<string, string>()
  // The newest first, so that the replacements of a replacement are known.
  for (const { later, earlier, certainty } of changes.toReversed()) {
    if (certainty === 'likely' || (earlier.isPerson && !later.isPerson)) {
      if (!updates.has(earlier.id)) updates.set(earlier.id, later.id)
      continue
    }
    const chain = [...(found.get(earlier.id) ?? []), later.id, ...(found.get(later.id) ?? [])]
    found.set(
      earlier.id,
      [...new Set(chain)].filter((id) => id !== earlier.id),
    )
  }
  return { replacements: found, updates }
}

/** Whole sentences. */
function startOf(text: string): string {
  if (text.length <= maxReadCharacters) return text
  const start = text.slice(0, maxReadCharacters)
  return start.slice(0, 1 + Math.max(start.lastIndexOf('. '), start.lastIndexOf('\n')))
}

/** For each utterance, the best of the facts that cite it or that correct a memory derived from it. */
function bestFacts({ rows, cosines, wordShares }: TableHits<FactRow>): ReadonlyMap<string, FactRow> {
  const scoreOf = ({ id }: FactRow) => (cosines[0]?.get(id) ?? 0) + (wordShares.get(id) ?? 0)
  const best = new Map<string, FactRow>()
  for (const fact of [...rows.values()].sort((a, b) => scoreOf(b) - scoreOf(a))) {
    for (const utterance of [...fact.sources, ...correctedBy(fact)]) {
      if (!best.has(utterance)) best.set(utterance, fact)
    }
  }
  return best
}

/** The utterances whose derived memories a fact corrects. */
function correctedBy({ correction, lineage, sources }: FactRow): readonly string[] {
  if (correction?.action !== 'replace') return []
  const own = new Set(sources)
  return (lineage?.causes ?? []).filter((id) => !own.has(id))
}

/** Raises a message that may update an older one to its score. Nothing is marked: the two may both hold. */
export function withUpdatesFirst<T extends Scored>(scored: readonly T[], updates: Updates): readonly T[] {
  const older = new Map<string, T>()
  for (const memory of scored) {
    const newer = updates.get(memory.id)
    if (newer !== undefined && memory.score > (older.get(newer)?.score ?? 0)) older.set(newer, memory)
  }
  return scored.map((memory) => {
    const over = older.get(memory.id)
    return over === undefined || over.score <= memory.score
      ? memory
      : { ...memory, score: over.score, raisedBy: over.id }
  })
}

/** Raises each replacement to the score of the memory that it replaces. */
export function withReplacements<T extends { readonly id: string; readonly score: number }>(
  scored: readonly T[],
  replacements: Replacements,
): readonly (T & Pick<Scored, 'raisedBy' | 'replacedBy'>)[] {
  if (replacements.size === 0) return scored
  const present = new Set(scored.map(({ id }) => id))
  const replacedBest = new Map<string, T>()
  for (const item of scored) {
    for (const instead of replacements.get(item.id) ?? []) {
      if (item.score > (replacedBest.get(instead)?.score ?? 0)) replacedBest.set(instead, item)
    }
  }
  return scored.map((item) => {
    const over = replacedBest.get(item.id)
    const isRaised = over !== undefined && over.score > item.score
    const replacedBy = replacements.get(item.id)?.filter((id) => present.has(id)) ?? []
    if (!isRaised && replacedBy.length === 0) return item
    return {
      ...item,
      ...(isRaised && { score: over.score, raisedBy: over.id }),
      ...(replacedBy.length > 0 && { replacedBy }),
    }
  })
}
