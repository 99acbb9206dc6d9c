/**
 * Opens what every process works with: the log, its codec, the recorded answers, the models. Here the ports meet their adapters;
 * nothing above this file knows which ones they are.
 */
import { join } from 'node:path'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import { cachedEmbedder } from '@loomlog/models/cache'
import { openAiModel } from '@loomlog/models/chat'
import type { Embedder } from '@loomlog/models/embedder'
import { openAiEmbedder } from '@loomlog/models/openai-embeddings'
import { transformersEmbedder } from '@loomlog/models/transformers'
import { useLite } from '@loomlog/models/use-lite'
import { VectorCache } from '@loomlog/models/vector-cache'
import { CompletionIndex } from '@loomlog/runtime/answer-book'
import type { Model } from '@loomlog/runtime/answers'
import { Codec } from '@loomlog/schemas/codec'
import { catalogue } from '@loomlog/topics/catalogue'
import type { Config, EmbedderConfig } from './config.ts'
import { openLog } from './open-log.ts'

export interface Host {
  readonly config: Config
  readonly log: Log
  readonly codec: Codec
  readonly answers: CompletionIndex
  readonly model: Model | null
  /** Serves decisions and views alike; each distinct text is embedded once. */
  readonly embedder: Embedder
  /** The vectors of views, kept from run to run. */
  readonly viewVectors: VectorCache
  /** How many partitions the space-keyed topics of this log have. */
  readonly partitions: number
  close(): Promise<void>
}

/** Vectors kept in memory, so that a text that stands in several places is embedded once: 512 numbers each, 20 MB in all. */
const cachedVectors = 10_000

export async function openHost(config: Config): Promise<Host> {
  const log = await openLog(config)
  try {
    const partitions = await createTopics(log, config.partitions)
    const codec = await Codec.open(log.schemas)
    const embedder = cachedEmbedder(await openEmbedder(config.embedder), { maxEntries: cachedVectors })
    const answers = new CompletionIndex({ log, codec, dir: config.dir })
    const vectorSpace = embedder.space.name
    const viewVectors = new VectorCache({ dir: config.dir, vectorSpace, maxBytes: config.vectorCacheBytes })
    const model = config.model === null ? null : { ...openAiModel(config.model), parameters: {} }
    async function close(): Promise<void> {
      await answers.close()
      await embedder.close()
      viewVectors.close()
      await log.close()
    }
    return { config, log, codec, answers, model, embedder, viewVectors, partitions, close }
  } catch (error) {
    await log.close()
    throw error
  }
}

/** Where the views of this folder stand. */
export function viewsUri(config: Config): string {
  return join(config.dir, 'views')
}

/** A log that exists keeps the number of partitions that it was made with. */
async function createTopics(log: Log, wanted: number): Promise<number> {
  const existing = (await log.topics()).find((topic) => topic.name === 'utterances')
  const partitions = existing?.partitions ?? wanted
  for (const topic of catalogue.filter((spec) => spec.derived === 'no')) {
    const count = topic.partitioning === 'one' ? 1 : partitions
    await log.createTopic({ name: topic.name, partitions: count, retentionMs: topic.retentionMs }).catch(explained)
  }
  return partitions
}

function explained(error: unknown): never {
  if (!isLoomlogError(error, 'topic-mismatch')) throw error
  const why = 'a space stands in the same partition of every topic, so each has as many as utterances'
  throw new LoomlogError(error.code, `${error.message}: ${why}; see loomlog topics plan`, { cause: error })
}

async function openEmbedder(config: EmbedderConfig): Promise<Embedder> {
  if (config.kind === 'use-lite') return useLite({ threads: config.threads })
  if (config.kind === 'openai') return openAiEmbedder({ ...config.endpoint, dimensions: config.dimensions })
  return transformersEmbedder({ model: config.model, dimensions: config.dimensions })
}
