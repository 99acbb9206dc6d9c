/**
 * Plans a generation from the processors: each stage reads the derivation of the stage that writes its input topic.
 * Pure; the store knows whether the generation exists already.
 */
import type { Processor } from '@loomlog/runtime/processor'
import { hash } from '@loomlog/schemas/ids'
import { physicalTopic } from '@loomlog/topics/catalogue'
import { derivationId, type Recipe, type RecipeChoices, recipeOf } from './recipe.ts'

export interface PlannedStage {
  readonly processor: Processor
  readonly recipe: Recipe
  readonly derivation: string
  /** The prompts' whole text, by task; empty where rules answer. */
  readonly prompts: ReadonlyMap<string, string>
  /** Topics that the stage reads and writes, by their names in the log. */
  readonly reads: string
  readonly writes: string
}

export interface GenerationPlan {
  readonly id: string
  readonly stages: readonly PlannedStage[]
  readonly viewEmbedder: string
}

/** @param processors in the order of the flow: the writer of a topic comes before its reader */
export function planGeneration(
  processors: readonly Processor[],
  choicesOf: (processor: Processor, reads: string | null) => RecipeChoices,
  viewEmbedder: string,
): GenerationPlan {
  const stages: PlannedStage[] = []
  for (const processor of processors) {
    const upstream = stages.find((stage) => stage.processor.writes.name === processor.reads.name)
    if (!upstream && processor.reads.derivedFrom !== null) {
      throw new Error(`${processor.stage} reads ${processor.reads.name}, which no stage before it writes`)
    }
    const choices = choicesOf(processor, upstream?.derivation ?? null)
    const recipe = recipeOf(processor, choices, upstream?.derivation ?? null)
    const derivation = derivationId(recipe)
    const reads = physicalTopic(processor.reads, upstream?.derivation ?? null)
    const prompts = recipe.model === null ? new Map<string, string>() : choices.prompts
    stages.push({ processor, recipe, derivation, prompts, reads, writes: physicalTopic(processor.writes, derivation) })
  }
  return { id: generationId(stages, viewEmbedder), stages, viewEmbedder }
}

function generationId(stages: readonly PlannedStage[], viewEmbedder: string): string {
  const derivations = Object.fromEntries(stages.map((stage) => [stage.processor.stage, stage.derivation]))
  return hash([derivations, viewEmbedder]).slice(0, 16)
}
