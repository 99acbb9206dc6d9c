/**
 * The generation that this process works under: the processors in the order of the flow, their recipes by the configuration, and
 * the views that are made of them.
 */
import { consolidator } from '@loomlog/consolidator/processor'
import { LoomlogError } from '@loomlog/errors'
import { factExtractor } from '@loomlog/fact-extractor/processor'
import type { GenerationPlan } from '@loomlog/generations/plan'
import { answering } from '@loomlog/generations/pointers'
import { type Serving, servingFrom, servingOf } from '@loomlog/generations/serving'
import { adoptGeneration, checkLive, readGenerations } from '@loomlog/generations/store'
import { type Host, viewsUri } from '@loomlog/host/open'
import { configuredGeneration, createDerivedTopics } from '@loomlog/host/stage'
import type { Processor } from '@loomlog/runtime/processor'
import { topicLoom } from '@loomlog/topic-loom/processor'
import { traceWeaver } from '@loomlog/trace-weaver/processor'
import { type ViewTopic, viewTopics } from '@loomlog/views/catalogue'
import { ViewReader } from '@loomlog/views/reader'

/** In the order of the flow. */
export const processors: readonly Processor[] = [topicLoom, factExtractor, traceWeaver, consolidator]

/** The topics of a generation's views, as they are called in the log. */
export function viewSources(serving: Serving): ReadonlyMap<ViewTopic, string> {
  return new Map(viewTopics.map((topic) => [topic, serving.topic(topic)]))
}

/** @throws LoomlogError `embedder-mismatch` where the views were made in another vector space than this process has */
export function viewReader(host: Host, serving: Serving): ViewReader {
  const { space } = host.embedder
  if (serving.viewEmbedder !== space.name) {
    throw new LoomlogError(
      'embedder-mismatch',
      `this memory is searched in the vector space ${serving.viewEmbedder}, and LOOMLOG_EMBEDDER gives ${space.name}`,
    )
  }
  const { partitions } = host
  return new ViewReader({ views: viewsUri(host.config), vectorSpace: space, partitions, sources: viewSources(serving) })
}

/** For who derives: makes the generation that is configured, if the log has none. @throws LoomlogError `recipe-differs` */
export async function prepareGeneration(host: Host): Promise<GenerationPlan> {
  const plan = configuredGeneration(host, processors)
  await createDerivedTopics(host, plan)
  checkLive(await adoptGeneration(host.log, host.codec, plan), plan)
  return plan
}

/** For who reads: the generation that is live, whatever is configured here. A new log has the configured one. */
export async function liveGeneration(host: Host): Promise<Serving> {
  const known = await readGenerations(host.log, host.codec)
  const live = known.generations.get(answering(known, null)?.generation ?? '')
  return live === undefined ? servingOf(await prepareGeneration(host)) : servingFrom(live)
}
