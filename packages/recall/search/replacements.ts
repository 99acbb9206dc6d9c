/**
 * What holds now, where what was found no longer does. Words that were true once ("I live in Lisbon") answer a question as well as ever, and
 * what took their place ("I moved last week") may share no word with it; so whoever finds the one is given the other, as likely as it.
 */
import type { FactRow } from '@loomlog/views/tables/facts'
import type { Scored } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { Within } from '../request/scope.ts'
import type { TableHits } from './search-table.ts'
import { replacementsOf } from './superseded-facts.ts'

/** By utterance: ids of the utterances, or of the facts of a correction, that say what holds instead. */
export type Replacements = ReadonlyMap<string, readonly string[]>

/** So many of the best facts are asked whether they still hold. */
const maxFactsAsked = 40

/** An utterance is replaced where the fact through which it speaks is: others that it says may still hold. */
export async function findReplacements(
  facts: TableHits<FactRow>,
  { space, within }: { readonly space: string; readonly within: Within },
  { views }: Pick<RecallOptions, 'views'>,
): Promise<Replacements> {
  const speaking = bestFacts(facts)
  const ids = new Set([...speaking.values()].map((fact) => fact.id))
  const replacements = await replacementsOf([...ids].slice(0, maxFactsAsked), { space, asOf: within.asOf }, views)
  const replaced = new Map<string, readonly string[]>()
  for (const [utterance, fact] of speaking) {
    const { sources = [], facts: stated = [] } = replacements.get(fact.id) ?? {}
    const instead = correctedBy(fact).includes(utterance) ? [fact.id] : [...sources, ...stated]
    const others = instead.filter((id) => id !== utterance)
    if (others.length > 0) replaced.set(utterance, others)
  }
  return replaced
}

/** The fact that speaks best for each utterance, or that corrects what was made of it; best first. */
function bestFacts({ rows, cosines, wordShares }: TableHits<FactRow>): ReadonlyMap<string, FactRow> {
  const scoreOf = ({ id }: FactRow) => (cosines[0]?.get(id) ?? 0) + (wordShares.get(id) ?? 0)
  const best = new Map<string, FactRow>()
  for (const fact of [...rows.values()].sort((a, b) => scoreOf(b) - scoreOf(a))) {
    for (const said of [...fact.sources, ...correctedBy(fact)]) if (!best.has(said)) best.set(said, fact)
  }
  return best
}

/** The utterances from which was made what a fact corrects. */
function correctedBy({ correction, lineage, sources }: FactRow): readonly string[] {
  if (correction?.action !== 'replace') return []
  const own = new Set(sources)
  return (lineage?.causes ?? []).filter((id) => !own.has(id))
}

/** What replaces something is at least as likely to be wanted. */
export function withReplacements<T extends { readonly id: string; readonly score: number }>(
  scored: readonly T[],
  replacements: Replacements,
): readonly (T & Pick<Scored, 'raisedBy' | 'replacedBy'>)[] {
  const present = new Set(scored.map(({ id }) => id))
  const least = new Map<string, T>()
  for (const item of scored) {
    for (const instead of replacements.get(item.id) ?? []) {
      if (item.score > (least.get(instead)?.score ?? 0)) least.set(instead, item)
    }
  }
  return scored.map((item) => {
    const over = least.get(item.id)
    const replacedBy = replacements.get(item.id)?.filter((id) => present.has(id)) ?? []
    return {
      ...item,
      ...(over !== undefined && over.score > item.score && { score: over.score, raisedBy: over.id }),
      ...(replacedBy.length > 0 && { replacedBy }),
    }
  })
}
