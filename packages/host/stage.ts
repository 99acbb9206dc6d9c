/**
 * Runs a derivation in this process, with the recipe and prompts from the log and its own model and embedder. A
 * derivation is frozen if this process has another revision or lacks its model or embedder: it is served, and not
 * derived further.
 */
import { readFileSync } from 'node:fs'
import { LoomlogError } from '@loomlog/errors'
import { covers } from '@loomlog/generations/derivation-scope'
import type { Derivation, Generation, Generations } from '@loomlog/generations/generations'
import type { GenerationPlan } from '@loomlog/generations/plan'
import { promptText } from '@loomlog/generations/prompt-text'
import type { RecipeChoices } from '@loomlog/generations/recipe'
import type { Embedder, EmbedOptions } from '@loomlog/models/embedder'
import { toInt8 } from '@loomlog/models/quantize'
import { Answers } from '@loomlog/runtime/answers'
import type { Processor } from '@loomlog/runtime/processor'
import { groupOf, runStage, type Stage } from '@loomlog/runtime/run'
import type { Throttle } from '@loomlog/runtime/throttle'
import { physicalTopic } from '@loomlog/topics/catalogue'
import type { HostedPart } from './hosting.ts'
import { frozenStageReason } from './missing-embedder.ts'
import type { Host } from './open.ts'

/** The configured choices for a stage of a new log. */
export function configuredChoices({ model, embedder }: Host, processor: Processor): RecipeChoices {
  // Only the model's data: a recipe is written to the log as JSON.
  const chosen =
    model === null || processor.model === 'if-named' ? null : { name: model.name, parameters: model.parameters }
  return { model: chosen, prompts: installedPrompts(processor), embedder: embedder.vectorSpace.name }
}

/** Why a derivation can't run here; null: it runs. */
export function frozenReason(host: Host, processor: Processor, { recipe, prompts }: Derivation): string | null {
  const { revision, parameters, stage } = processor
  if (recipe.revision !== revision)
    return `${stage} is derived by revision ${recipe.revision}, and ${revision} is installed`
  if (Object.keys(recipe.parameters).sort().join() !== Object.keys(parameters).sort().join()) {
    return `${stage} is derived with other parameters than those that are installed`
  }
  const missingEmbedder = frozenStageReason(host, recipe)
  if (missingEmbedder !== null) return missingEmbedder
  if (recipe.model === null) return null
  const missing = processor.tasks.find((task) => task.prompt !== null && !prompts.has(task.name))
  if (missing) return `${stage} has no prompt for ${missing.name} in its recipe`
  if (host.modelByName(recipe.model.name) !== null) return null
  return `${stage} is answered by ${recipe.model.name}, and this process has no endpoint: LOOMLOG_API_KEY is not set`
}

/** Creates the topics of the plan, with as many partitions as the source. Idempotent. */
export async function createDerivedTopics(host: Host, plan: GenerationPlan): Promise<void> {
  for (const { writes } of plan.stages) {
    await host.log.createTopic({ name: writes, partitions: host.partitions, retentionMs: null })
  }
}

export interface StageListener {
  onCommit(stage: string, progress: Parameters<Stage['onCommit']>[0]): void
  /** Reports why a group waits for an endpoint, at each failure; null when the wait is over. */
  onBackoff(group: string, reason: string | null): void
  /** Reports that an endpoint is slow to answer; null when it has answered. */
  onSlowCall?(group: string, reason: string | null): void
  /** Reports once why a derivation can't run here. */
  onFrozen(reason: string): void
  onError(error: unknown): void
}

/** The stages of a generation that this process runs. */
export function stageParts(host: Host, processors: readonly Processor[], listener: StageListener) {
  const reported = new Set<string>()
  const runs = (processor: Processor, derivation: Derivation) => {
    const reason = frozenReason(host, processor, derivation)
    if (reason !== null && !reported.has(derivation.id)) listener.onFrozen(reason)
    if (reason !== null) reported.add(derivation.id)
    return reason === null
  }
  return (known: Generations, generation: Generation): readonly HostedPart[] =>
    processors.flatMap((processor) => {
      const derivation = known.derivations.get(generation.derivations[processor.stage] ?? '')
      if (!derivation || !runs(processor, derivation)) return []
      const start = async (throttle: Throttle, signal: AbortSignal) => {
        const stage = await stageOf(host, { processor, derivation, throttle }, listener)
        for (const name of [stage.reads, stage.writes]) {
          await host.log.createTopic({ name, partitions: host.partitions, retentionMs: null })
        }
        return runStage({
          log: host.progress.watch(host.log, 'commit'),
          stage,
          ...host.config.session,
          signal,
          onError: listener.onError,
        })
      }
      return [{ group: groupOf(processor.stage, derivation.id), start }]
    })
}

interface HostedStage {
  readonly processor: Processor
  readonly derivation: Derivation
  readonly throttle: Throttle
}

async function stageOf(
  host: Host,
  { processor, derivation, throttle }: HostedStage,
  listener: StageListener,
): Promise<Stage> {
  const { recipe, id, prompts } = derivation
  const { codec, completions, partitions } = host
  const embedder = recipe.embedder === null ? null : await host.embedders.byName(recipe.embedder)
  const answers = new Answers({
    stage: processor.stage,
    model: recipe.model === null ? null : host.modelByName(recipe.model.name),
    prompts,
    embedder: embedder && stageEmbedder(embedder.embedder),
    parameters: recipe.parameters,
    completions,
    throttle,
    onBackoff: (reason) => listener.onBackoff(groupOf(processor.stage, id), reason),
    onSlowCall: (reason) => listener.onSlowCall?.(groupOf(processor.stage, id), reason),
  })
  return {
    processor,
    derivation: id,
    parameters: recipe.parameters,
    reads: physicalTopic(processor.reads, recipe.reads),
    writes: physicalTopic(processor.writes, id),
    partitions,
    covers: (space) => covers(recipe.scope, space),
    codec,
    answers,
    throttle,
    completions,
    onCommit: (progress) => listener.onCommit(processor.stage, progress),
  }
}

function stageEmbedder(embedder: Embedder) {
  return {
    name: embedder.vectorSpace.name,
    isBehindEndpoint: embedder.isBehindEndpoint ?? false,
    async embedOne(text: string, options: Omit<EmbedOptions, 'shape'>) {
      const [vector = new Float32Array()] = await embedder.embed([text], { shape: 'one-at-a-time', ...options })
      return toInt8(vector)
    },
  }
}

function installedPrompts(processor: Processor): ReadonlyMap<string, string> {
  const prompts = new Map<string, string>()
  for (const task of processor.tasks) {
    if (task.prompt === null) continue
    const file = new URL(`${task.prompt}.md`, processor.prompts)
    try {
      prompts.set(task.name, promptText(readFileSync(file, 'utf8')))
    } catch (cause) {
      const message = `the prompt ${task.prompt} of ${processor.stage} can't be read`
      throw new LoomlogError('config-invalid', message, { cause })
    }
  }
  return prompts
}
