/**
 * The memories that replace outdated candidates. An outdated utterance ("I live in Lisbon") matches a question as well as ever, and its
 * replacement ("I moved last week") may share no word with it. So the replacement is returned with it, with at least its score.
 */
import { changedBy, mayUpdate, readMessage } from '@loomlog/language/change'
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

/** Newest messages that are read for changes. */
const maxChanging = 100

/** Only the start of a longer message is read for changes. */
const maxReadCharacters = 4_000

/** Reading takes longer than comparing, and the same messages are candidates again and again. */
const read = memoize({ texts: 8_192, characters: maxReadCharacters }, readMessage)

/**
 * Adds changes that are not recorded as facts: a later utterance says that something of an earlier one changed. Chains are followed, so each
 * outdated utterance names all that replaced it. An agent's guess outdates no line of a person.
 *
 * @param best ids of the utterances that may be found outdated. A message that states a change may be, too: it is a link of a chain
 */
export function withChanges(
  replacements: Replacements,
  candidates: readonly { readonly memory: Memory; readonly role: Role | null }[],
  best: ReadonlySet<string>,
): Replacements {
  const told = candidates
    .filter(({ memory }) => memory.kind === 'utterance')
    .toSorted((a, b) => byTime(a.memory, b.memory))
    .map(({ memory, role }) => {
      const { id, speaker, at } = memory
      const isPerson = role === null || role === 'human'
      return { id, speaker, at: at ?? 0, isPerson, read: read(startOf(withoutSpeaker(memory))) }
    })
  const changing = told.filter((each) => each.read.changes.length > 0).slice(-maxChanging)
  const compared = told.filter((each) => best.has(each.id) || changing.includes(each))
  const found = new Map(replacements)
  // The newest first, so that the replacements of a replacement are known.
  for (const each of changing.toReversed()) {
    const before = compared.slice(0, compared.indexOf(each)).filter((earlier) => each.isPerson || !earlier.isPerson)
    for (const earlier of changedBy(each, before)) {
      const chain = [each.id, ...(found.get(each.id) ?? [])]
      found.set(
        earlier.id,
        [...new Set([...(found.get(earlier.id) ?? []), ...chain])].filter((id) => id !== earlier.id),
      )
    }
  }
  return found
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

/** Best memories among which a newer value comes before an older one. */
const maxOrdered = 30

/**
 * Raises a newer utterance to the score of an older one that says the same of the same thing with another value, where neither is known to be
 * outdated. Nothing is marked: the two may both hold.
 */
export function withNewerFirst<T extends Scored>(scored: readonly T[]): readonly T[] {
  const best = scored
    .filter(({ kind, replacedBy }) => kind === 'utterance' && replacedBy === undefined)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxOrdered)
    .map((memory) => ({
      memory,
      speaker: memory.speaker,
      at: memory.at ?? 0,
      read: read(startOf(withoutSpeaker(memory))),
    }))
  const raised = new Map<string, T>()
  for (const [rank, older] of best.entries()) {
    for (const newer of best.slice(rank + 1)) {
      const isNewer = newer.at > older.at && !raised.has(newer.memory.id)
      if (isNewer && mayUpdate(newer, older)) raised.set(newer.memory.id, older.memory)
    }
  }
  return scored.map((memory) => {
    const over = raised.get(memory.id)
    return over === undefined ? memory : { ...memory, score: over.score, raisedBy: over.id }
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
