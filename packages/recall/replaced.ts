/**
 * What holds now, where what was found no longer does. Words that were true once ("I live in Lisbon") answer a question as well as ever, and
 * what took their place ("I moved last week") may share no word with it; so whoever finds the one is given the other, as likely as it.
 */
import { type Found, speakerBySource } from './pool-tables.ts'
import type { RecallOptions } from './recall.ts'
import { replacementsOf } from './superseded.ts'
import type { Within } from './within.ts'

/** By utterance: ids of the utterances, or of the facts of a correction, that say what holds instead. */
export type Replaced = ReadonlyMap<string, readonly string[]>

/** So many of the best facts are asked whether they still hold. */
const maxFactsAsked = 40

/** An utterance is replaced where the fact through which it speaks is: others that it says may still hold. */
export async function replacedAmong(
  facts: Found,
  { space, within }: { readonly space: string; readonly within: Within },
  { views }: Pick<RecallOptions, 'views'>,
): Promise<Replaced> {
  const speaking = speakerBySource(facts)
  const asked = [...new Set(speaking.values())].slice(0, maxFactsAsked)
  const replacements = await replacementsOf(asked, { space, asOf: within.asOf }, views)
  const replaced = new Map<string, readonly string[]>()
  for (const [utterance, fact] of speaking) {
    const instead = replacements.get(fact)
    const ids = [...(instead?.sources ?? []), ...(instead?.facts ?? [])].filter((id) => id !== utterance)
    if (ids.length > 0) replaced.set(utterance, ids)
  }
  return replaced
}

/** What replaces something is at least as likely to be wanted. */
export function withReplacements<T extends { readonly id: string; readonly score: number }>(
  scored: readonly T[],
  replaced: Replaced,
): readonly (T & { readonly replacedBy?: readonly string[] })[] {
  const present = new Set(scored.map(({ id }) => id))
  const least = new Map<string, number>()
  for (const { id, score } of scored) {
    for (const instead of replaced.get(id) ?? []) least.set(instead, Math.max(score, least.get(instead) ?? 0))
  }
  return scored.map((item) => {
    const score = Math.max(item.score, least.get(item.id) ?? 0)
    const replacedBy = replaced.get(item.id)?.filter((id) => present.has(id)) ?? []
    return replacedBy.length > 0 ? { ...item, score, replacedBy } : { ...item, score }
  })
}
