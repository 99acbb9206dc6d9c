/** The stages that a log derives by other recipes than an archive's generation. */
import type { Generations } from '@loomlog/generations/generations'
import { liveGeneration } from '@loomlog/generations/pointers'
import type { Recipe } from '@loomlog/generations/recipe'
import { oneLine } from '@loomlog/schemas/one-line'
import type { ArchiveHeader } from './archive.ts'

/**
 * For people, such as `fact-extractor (openai:gpt, revision 19; now rules, revision 19)`. Empty: the memory is the
 * archive's.
 */
export function otherRecipes({ tenant, generation }: ArchiveHeader, known: Generations): readonly string[] {
  const live = known.generations.get(liveGeneration(known, tenant)?.generation ?? '')
  return (generation?.stages ?? []).flatMap(({ stage, derivation, recipe }) => {
    const now = live?.derivations[stage]
    if (now === derivation) return []
    const derived = nameOf(known.derivations.get(now ?? '')?.recipe ?? null)
    return [oneLine(`${stage} (${nameOf(recipe)}; now ${derived})`)]
  })
}

function nameOf(recipe: Recipe | null): string {
  return recipe === null ? 'unknown' : `${recipe.model?.name ?? 'rules'}, revision ${recipe.revision}`
}
