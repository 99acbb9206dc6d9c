/**
 * Opens the parts that every process needs: the log, its codec, the recorded answers, the models. Only this file
 * chooses the adapters of the ports.
 */
import { join } from 'node:path'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Log, Sealer } from '@loomlog/log/port'
import type { Embedder } from '@loomlog/models/embedder'
import { type InFlightLimiter, inFlightLimiter } from '@loomlog/models/in-flight-limiter'
import { SpendingLimit } from '@loomlog/models/spending-limit'
import type { ToolModel } from '@loomlog/models/tool-model'
import type { Model } from '@loomlog/runtime/answers'
import { CompletionIndex } from '@loomlog/runtime/completion-index'
import { Codec } from '@loomlog/schemas/codec'
import { catalogue } from '@loomlog/topics/catalogue'
import type { Config } from './config.ts'
import { Embedders, type OpenEmbedder } from './embedders.ts'
import { type Installation, loadExtensions } from './extensions.ts'
import { LeaseProgress } from './lease-progress.ts'
import { openLog } from './open-log.ts'
import { PendingForgettings } from './pending-forgettings.ts'
import { moneyFor } from './prices.ts'

export interface Host extends Installation {
  readonly config: Config
  readonly log: Log
  /** Seals the views, indexes and caches beside the log. Null: the log is not encrypted. */
  readonly sealing: Sealer | null
  readonly codec: Codec
  readonly completions: CompletionIndex
  /** The model of a new log's first generation; null: rules. */
  readonly model: Model | null
  /** The same model, for searches with tools. */
  readonly toolModel: ToolModel | null
  /** A model by its name; null: this process has no endpoint. */
  modelByName(name: string): Model | null
  /** The embedder of a new log's first generation, for decisions and views. */
  readonly embedder: Embedder
  /** Every configured embedder. */
  readonly embedders: Embedders
  /** Progress of the leases of this process. */
  readonly progress: LeaseProgress
  /** Number of partitions of the space-keyed topics of this log. */
  readonly partitions: number
  readonly pendingForgettings: PendingForgettings
  /** Reports local files and views that are rebuilt, and why. */
  notify(message: string): void
  close(): Promise<void>
}

/**
 * @param notify reports local files that are rebuilt, and why; default: on stderr
 * @param access `read`: an embedded log is not written, and needs its topics; the caches beside it are in memory
 */
export async function openHost(config: Config, notify = toStderr, access: 'write' | 'read' = 'write'): Promise<Host> {
  const log = await openLog(config, access)
  try {
    const installed = await loadExtensions(config.extensions)
    const partitions = await createTopics(log, config.partitions)
    const codec = await Codec.open(log.schemas, installed.records)
    const cacheDir = access === 'read' ? null : config.dir
    const completions = new CompletionIndex({ log, codec, dir: cacheDir, onRebuild: notify })
    const spending = spendingOf(config, completions, partitions)
    const maxInFlight = config.endpoint?.maxConcurrent ?? 1
    const embeddingLimits = { spending, limiter: inFlightLimiter(maxInFlight) }
    const embedders = new Embedders({
      ...config,
      dir: cacheDir,
      sealing: log.sealing,
      limits: embeddingLimits,
      onRebuild: notify,
    })
    const { embedder } = (await embedders.byName(embedders.names[0] ?? '')) as OpenEmbedder
    const limits = { spending, limiter: inFlightLimiter(maxInFlight) }
    const modelByName = await models(config, limits)
    const model = config.model === null ? null : modelByName(config.model)
    async function close(): Promise<void> {
      await completions.close()
      await embedders.close()
      await log.close()
    }
    const toolModel = await toolModelOf(config, limits)
    const progress = new LeaseProgress({ stallMs: config.stallMs })
    return {
      ...installed,
      config,
      log,
      sealing: log.sealing,
      progress,
      codec,
      completions,
      model,
      toolModel,
      modelByName,
      embedder,
      embedders,
      partitions,
      pendingForgettings: new PendingForgettings({ log, codec, partitions }),
      notify,
      close,
    }
  } catch (error) {
    await log.close()
    throw error
  }
}

function toStderr(message: string): void {
  process.stderr.write(`loomlog: ${message}\n`)
}

/** The place of the views of this log. */
export function viewsUri(config: Config): string {
  return config.views ?? join(config.dir, 'views')
}

/** An existing log keeps its number of partitions. */
async function createTopics(log: Log, wanted: number): Promise<number> {
  const existing = (await log.topics()).find((topic) => topic.name === 'utterances')
  const partitions = existing?.partitions ?? wanted
  for (const topic of catalogue.filter((spec) => spec.derivedFrom === null)) {
    const count = topic.partitioning === 'one' ? 1 : partitions
    await log.createTopic({ name: topic.name, partitions: count, retentionMs: topic.retentionMs }).catch(addAdvice)
  }
  return partitions
}

function addAdvice(error: unknown): never {
  if (!isLoomlogError(error, 'topic-mismatch')) throw error
  const why = 'a space is in the same partition of every topic, so each topic needs as many partitions as utterances'
  throw new LoomlogError(error.code, `${error.message}: ${why}; see loomlog topics plan`, { cause: error })
}

function spendingOf({ spending, prices }: Config, completions: CompletionIndex, partitions: number): SpendingLimit {
  return new SpendingLimit({
    limits: spending,
    priceOf: (model, spent) => moneyFor(prices, model, spent),
    async spentToday() {
      for (let partition = 0; partition < partitions; partition++) await completions.follow(partition)
      const used = await completions.usageByModel(null, Date.now())
      return used.reduce((total, one) => total + (moneyFor(prices, one.model, one) ?? 0), 0)
    },
  })
}

/** Shared by all chat calls of the process, those of searches with tools included; embeddings share the spending. */
interface ChatLimits {
  readonly spending: SpendingLimit
  readonly limiter: InFlightLimiter
}

/** Creates one client a model. Recipes prefix its name with `openai:`. Without an endpoint the library isn't loaded. */
async function models({ endpoint }: Config, limits: ChatLimits): Promise<Host['modelByName']> {
  if (endpoint === null) return () => null
  const { openAiModel } = await import('@loomlog/models/chat')
  const open = new Map<string, Model>()
  return (name) => {
    const model = name.replace(/^openai:/, '')
    const known = open.get(model) ?? { ...openAiModel({ ...endpoint, ...limits, model }), parameters: {} }
    open.set(model, known)
    return known
  }
}

async function toolModelOf({ model, endpoint }: Config, limits: ChatLimits): Promise<ToolModel | null> {
  if (model === null || endpoint === null) return null
  const { openAiToolModel } = await import('@loomlog/models/tool-model')
  return openAiToolModel({ ...endpoint, ...limits, model })
}
