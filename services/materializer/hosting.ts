/**
 * The views of a generation that this process keeps: one per topic and vector space, shared by every generation that
 * has both.
 */
import type { Generation, Generations } from '@loomlog/generations/generations'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { viewSources } from '@loomlog/host/generation-reader'
import type { HostedPart } from '@loomlog/host/hosting'
import type { Host } from '@loomlog/host/open'
import { viewStore } from '@loomlog/host/view-store'
import type { Embedder } from '@loomlog/models/embedder'
import type { Throttle } from '@loomlog/runtime/throttle'
import { tablesOf, viewId } from '@loomlog/views/catalogue'
import { materialize } from './materializer.ts'

/** Empty if this process lacks the generation's view embedder: such a view stays as it is. */
export function viewParts(host: Host, onError: (error: unknown) => void) {
  const store = viewStore(host)
  return async (_known: Generations, generation: Generation): Promise<readonly HostedPart[]> => {
    const opened = await host.embedders.byName(generation.viewEmbedder)
    if (opened === null) return []
    const { embedder, viewVectors } = opened
    const sources = [...viewSources(servingGeneration(generation, host.topics), host)]
    return sources.map(([topic, source]) => {
      const start = async (throttle: Throttle, signal: AbortSignal) => {
        await host.log.createTopic({ name: source, partitions: host.partitions, retentionMs: null })
        return materialize({
          log: host.progress.watch(host.log, 'poll'),
          codec: host.codec,
          vectors: {
            embedder: embedderInParts(embedder),
            completions: host.completions,
            cache: viewVectors,
          },
          store,
          topic,
          tables: tablesOf(topic, host.tables),
          source,
          partitions: host.partitions,
          throttle,
          ...host.config.session,
          signal,
          onRebuild: host.notify,
          onError,
        })
      }
      return { group: `materializer.${viewId(source, embedder.vectorSpace.name)}`, start }
    })
  }
}

/** Texts per call: the fewer, the sooner live work gets the embedder. */
const textsAtATime = 4

/** An embedder that takes few texts a call, so that a batch of a background view doesn't delay live work. */
function embedderInParts(embedder: Embedder): Embedder {
  return {
    vectorSpace: embedder.vectorSpace,
    async embed(texts, options) {
      const vectors: Float32Array[] = []
      for (let at = 0; at < texts.length; at += textsAtATime) {
        options?.signal?.throwIfAborted()
        vectors.push(...(await embedder.embed(texts.slice(at, at + textsAtATime), options)))
      }
      return vectors
    },
    close: () => embedder.close(),
  }
}
