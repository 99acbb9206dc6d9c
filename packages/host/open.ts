/**
 * Opens what every process works with: the log, its codec, the recorded answers, the models. Here the ports meet their adapters;
 * nothing above this file knows which ones they are.
 */
import { join } from 'node:path'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import { openAiModel } from '@loomlog/models/chat'
import type { Embedder } from '@loomlog/models/embedder'
import { openAiToolModel, type ToolModel } from '@loomlog/models/tool-model'
import { CompletionIndex } from '@loomlog/runtime/answer-book'
import type { Model } from '@loomlog/runtime/answers'
import { Codec } from '@loomlog/schemas/codec'
import { catalogue } from '@loomlog/topics/catalogue'
import type { Config } from './config.ts'
import { Embedders, type Opened } from './embedders.ts'
import { LeaseProgress } from './lease-progress.ts'
import { openLog } from './open-log.ts'

export interface Host {
  readonly config: Config
  readonly log: Log
  readonly codec: Codec
  readonly answers: CompletionIndex
  /** What a new log's first generation is answered by; null: rules. */
  readonly model: Model | null
  /** The same, for searches with tools. */
  readonly toolModel: ToolModel | null
  /** A model by its name; null where this process has no endpoint. */
  modelNamed(name: string): Model | null
  /** Serves a new log's first generation, decisions and views alike. */
  readonly embedder: Embedder
  /** Every embedder that this process can have. */
  readonly embedders: Embedders
  /** What the leases of this process have done. */
  readonly progress: LeaseProgress
  /** How many partitions the space-keyed topics of this log have. */
  readonly partitions: number
  /** Reports local files and views that are made again, and why. */
  notify(message: string): void
  close(): Promise<void>
}

/** @param notify reports local files that are made again, and why; default: on stderr */
export async function openHost(config: Config, notify = toStderr): Promise<Host> {
  const log = await openLog(config)
  try {
    const partitions = await createTopics(log, config.partitions)
    const codec = await Codec.open(log.schemas)
    const embedders = new Embedders({ ...config, onRemade: notify })
    const { embedder } = (await embedders.named(embedders.names[0] ?? '')) as Opened
    const answers = new CompletionIndex({ log, codec, dir: config.dir, onRemade: notify })
    const modelNamed = models(config.endpoint)
    const model = config.model === null ? null : modelNamed(config.model)
    async function close(): Promise<void> {
      await answers.close()
      await embedders.close()
      await log.close()
    }
    const { model: named, endpoint } = config
    const toolModel = named === null || endpoint === null ? null : openAiToolModel({ ...endpoint, model: named })
    const progress = new LeaseProgress()
    return {
      config,
      log,
      progress,
      codec,
      answers,
      model,
      toolModel,
      modelNamed,
      embedder,
      embedders,
      partitions,
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

/** Where the views of this log stand. */
export function viewsUri(config: Config): string {
  return config.views ?? join(config.dir, 'views')
}

/** A log that exists keeps the number of partitions that it was made with. */
async function createTopics(log: Log, wanted: number): Promise<number> {
  const existing = (await log.topics()).find((topic) => topic.name === 'utterances')
  const partitions = existing?.partitions ?? wanted
  for (const topic of catalogue.filter((spec) => !spec.isDerived)) {
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

/** One connection a model. Recipes say `openai:` before its name. */
function models(endpoint: Config['endpoint']): Host['modelNamed'] {
  const open = new Map<string, Model>()
  return (name) => {
    if (endpoint === null) return null
    const model = name.replace(/^openai:/, '')
    const known = open.get(model) ?? { ...openAiModel({ ...endpoint, model }), parameters: {} }
    open.set(model, known)
    return known
  }
}
