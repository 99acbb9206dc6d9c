/** Brings a planned stage to life in this process: its prompts, its answers, its topics. */
import { readFileSync } from 'node:fs'
import { LoomlogError } from '@loomlog/errors'
import { type GenerationPlan, type PlannedStage, planGeneration } from '@loomlog/generations/plan'
import { type Choices, type Recipe, recipeOf } from '@loomlog/generations/recipe'
import { covers } from '@loomlog/generations/scope'
import { toInt8 } from '@loomlog/models/quantize'
import { Answers } from '@loomlog/runtime/answers'
import type { Processor } from '@loomlog/runtime/processor'
import type { Stage } from '@loomlog/runtime/run'
import type { Host } from './open.ts'

/** The generation that this process's configuration asks for. */
export function configuredGeneration(host: Host, processors: readonly Processor[]): GenerationPlan {
  return planGeneration(processors, (processor) => choices(host, processor), host.embedder.space.name)
}

/** What this process's configuration makes of the derivation `reads`; null: of the source. */
export function configuredRecipe(host: Host, processor: Processor, reads: string | null): Recipe {
  return recipeOf(processor, choices(host, processor), reads)
}

function choices({ model, embedder }: Host, processor: Processor): Choices {
  // Only what is data: a recipe is written to the log as JSON.
  const chosen = model === null ? null : { name: model.name, parameters: model.parameters }
  return { model: chosen, prompts: promptsOf(processor), embedder: embedder.space.name }
}

/** The derived topic of every stage, with as many partitions as the source. Idempotent. */
export async function createDerivedTopics(host: Host, plan: GenerationPlan): Promise<void> {
  for (const stage of plan.stages) {
    await host.log.createTopic({ name: stage.writes, partitions: host.partitions, retentionMs: null })
  }
}

export interface StageListener {
  onCommit: Stage['onCommit']
  /** Told when an endpoint fails and the stage waits, and again (null) when it goes on. */
  onPause(reason: string | null): void
}

export function stageOf(host: Host, planned: PlannedStage, listener: StageListener): Stage {
  const { processor, recipe, derivation, reads, writes } = planned
  const { embedder } = host
  const answers = new Answers({
    model: recipe.model === null ? null : host.model,
    prompts: planned.prompts,
    embedder: {
      name: embedder.space.name,
      async embedOne(text, signal) {
        const [vector = new Float32Array()] = await embedder.embed([text], { shape: 'one-at-a-time', signal })
        return toInt8(vector)
      },
    },
    parameters: recipe.parameters,
    book: host.answers,
    onPause: listener.onPause,
  })
  const { codec } = host
  return {
    processor,
    derivation,
    parameters: recipe.parameters,
    reads,
    writes,
    covers: (space) => covers(recipe.scope, space),
    codec,
    answers,
    book: host.answers,
    onCommit: listener.onCommit,
  }
}

export function promptsOf(processor: Processor): ReadonlyMap<string, string> {
  const prompts = new Map<string, string>()
  for (const task of processor.tasks) {
    if (task.prompt === null) continue
    const file = new URL(`${task.prompt}.md`, processor.prompts)
    try {
      prompts.set(task.name, readFileSync(file, 'utf8'))
    } catch (cause) {
      throw new LoomlogError('config-invalid', `the prompt ${task.prompt} of ${processor.stage} can't be read`, {
        cause,
      })
    }
  }
  return prompts
}
