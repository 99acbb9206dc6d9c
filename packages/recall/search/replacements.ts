/**
 * The memories that replace outdated candidates. An outdated utterance ("I live in Lisbon") matches a question as well
 * as ever, and its replacement ("I moved last week") may share no word with it. So the replacement is returned with it,
 * with at least its score.
 */
import type { FactRow } from '@loomlog/views/tables/facts'
import type { ScoredMemory } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { Scope } from '../request/filter.ts'
import { stemsOf } from '../text/stems.ts'
import type { TableHits } from './search-table.ts'
import { replacementsOf } from './superseded-facts.ts'
import { sentencesWithout, withoutSpeaker } from './wording.ts'

/** By outdated utterance. */
export type Replacements = ReadonlyMap<string, ReplacedUtterance>

export interface ReplacedUtterance {
  /** Ids of the utterances, or of the facts of corrections, that replace it. */
  readonly by: readonly string[]
  /** The sentences that no longer hold, each with the ids that replace it; null: the whole utterance. */
  readonly sentences: ReadonlyMap<string, ReadonlySet<string>> | null
  /** The fact that no longer holds, where one is recorded. */
  readonly fact?: string
}

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
  const byUtterance = new Map<string, ReplacedUtterance>()
  for (const [utterance, fact] of factByUtterance) {
    const { sources = [], facts: stated = [] } = byFact.get(fact.id) ?? {}
    const instead = correctedBy(fact).includes(utterance) ? [fact.id] : [...sources, ...stated]
    const others = instead.filter((id) => id !== utterance)
    if (others.length > 0) byUtterance.set(utterance, { by: others, sentences: null, fact: fact.text })
  }
  return byUtterance
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

type Replaceable = Pick<ScoredMemory, 'id' | 'score' | 'text' | 'speaker'>

/**
 * Raises each replacement to the score of the memory that it replaces. The replacement of one sentence rises only if
 * the question is about this sentence: the memory may have its score for another one, which still holds.
 */
export function withReplacements<T extends Replaceable>(
  scored: readonly T[],
  replacements: Replacements,
  query: string,
): readonly (T & Pick<ScoredMemory, 'raisedBy' | 'replacedBy' | 'outdated'>)[] {
  if (replacements.size === 0) return scored
  const present = new Set(scored.map(({ id }) => id))
  const replacedBest = new Map<string, T>()
  for (const item of scored) {
    for (const instead of risingOver(item, query, replacements.get(item.id))) {
      if (item.score > (replacedBest.get(instead)?.score ?? 0)) replacedBest.set(instead, item)
    }
  }
  return scored.map((item) => {
    const over = replacedBest.get(item.id)
    const isRaised = over !== undefined && over.score > item.score
    const { by = [], sentences = null } = replacements.get(item.id) ?? {}
    const replacedBy = by.filter((id) => present.has(id))
    if (!isRaised && replacedBy.length === 0) return item
    return {
      ...item,
      ...(isRaised && { score: over.score, raisedBy: over.id }),
      ...(replacedBy.length > 0 && { replacedBy, ...(sentences !== null && { outdated: [...sentences.keys()] }) }),
    }
  })
}

/** Whether a replacement rises over the memory: then the memory must not rise above the replacement again. */
export function isReplaced(memory: Replaceable, replacements: Replacements, query: string): boolean {
  return risingOver(memory, query, replacements.get(memory.id)).length > 0
}

/** The ids that replace an outdated memory, or only the outdated sentences that the question is about. */
function risingOver(
  item: Replaceable,
  query: string,
  { by, sentences }: ReplacedUtterance = { by: [], sentences: null },
): readonly string[] {
  if (sentences === null) return by
  const named = stemsOf(item.speaker).counts
  const asked = [...stemsOf(query).counts.keys()].filter((stem) => !named.has(stem))
  const askedIn = (sentence: string) => {
    const { counts } = stemsOf(sentence)
    return asked.filter((stem) => counts.has(stem)).length
  }
  const inOthers = Math.max(0, ...sentencesWithout(withoutSpeaker(item), [...sentences.keys()]).map(askedIn))
  return [...sentences].flatMap(([sentence, ids]) => (askedIn(sentence) >= Math.max(1, inOthers) ? [...ids] : []))
}
