/**
 * The generation that this process works under: the processors in the order of the flow, their recipes by the configuration, and
 * the views that are made of them.
 */
import { consolidator } from '@loomlog/consolidator/processor'
import { factExtractor } from '@loomlog/fact-extractor/processor'
import type { GenerationPlan } from '@loomlog/generations/plan'
import { adoptGeneration } from '@loomlog/generations/store'
import { type Host, viewsUri } from '@loomlog/host/open'
import { configuredGeneration, createDerivedTopics } from '@loomlog/host/stage'
import type { Processor } from '@loomlog/runtime/processor'
import { topicLoom } from '@loomlog/topic-loom/processor'
import { physicalTopic } from '@loomlog/topics/catalogue'
import { traceWeaver } from '@loomlog/trace-weaver/processor'
import { type ViewTopic, viewTopics } from '@loomlog/views/catalogue'
import { ViewReader } from '@loomlog/views/reader'

/** In the order of the flow. */
export const processors: readonly Processor[] = [topicLoom, factExtractor, traceWeaver, consolidator]

/** The topics of a generation's views, as they are called in the log. */
export function viewSources(plan: GenerationPlan): ReadonlyMap<ViewTopic, string> {
  const derivations = new Map(plan.stages.map((stage) => [stage.processor.writes, stage.derivation]))
  return new Map(viewTopics.map((topic) => [topic, physicalTopic(topic, derivations.get(topic) ?? null)]))
}

export function viewReader(host: Host, plan: GenerationPlan): ViewReader {
  const { partitions } = host
  return new ViewReader({
    views: viewsUri(host.config),
    vectorSpace: host.embedder.space,
    partitions,
    sources: viewSources(plan),
  })
}

/** Makes the topics of the configured generation, and the generation itself if the log has none. @throws `recipe-differs` */
export async function prepareGeneration(host: Host): Promise<GenerationPlan> {
  const plan = configuredGeneration(host, processors)
  await createDerivedTopics(host, plan)
  await adoptGeneration(host.log, host.codec, plan)
  return plan
}
