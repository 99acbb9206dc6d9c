/**
 * The kinds of embedders that settings can name. Another kind is one more entry here.
 *
 * Recipes and views name a vector space. So everything that changes the vectors of a kind is in the name of its vector
 * space, and that name never changes.
 */
import type { Embedder, VectorSpace } from '@loomlog/models/embedder'
import type { InFlightLimiter } from '@loomlog/models/in-flight-limiter'
import type { SpendingLimit } from '@loomlog/models/spending-limit'
import { wordVectorSpace } from '@loomlog/models/words-vector-space'
import { endpointConfig } from './endpoint-config.ts'
import type { Environment } from './environment.ts'

export interface EmbedderConfig {
  readonly vectorSpace: VectorSpace
  /** Loads the code and the weights. @throws LoomlogError `config-invalid` where they are missing */
  open(limits: EmbeddingLimits): Promise<Embedder>
}

/** Shared by every embedder behind the endpoint. */
export interface EmbeddingLimits {
  readonly limiter: InFlightLimiter
  readonly spending: SpendingLimit
}

interface ModelSetting {
  readonly environment: Environment
  readonly model: string
  readonly dimensions: number
}

/** The embedders that come with loomlog, by their names in settings. Every process has them. */
export const bundledEmbedders: ReadonlyMap<string, EmbedderConfig> = new Map([
  [
    'words',
    {
      vectorSpace: wordVectorSpace,
      open: async () => (await import('@loomlog/models/words')).wordEmbedder(),
    },
  ],
])

/** The embedders that a setting names as `KIND:MODEL`, by kind. */
export const modelEmbedders: ReadonlyMap<string, (setting: ModelSetting) => EmbedderConfig> = new Map([
  ['openai', openAi],
  ['transformers', transformers],
])

/** @throws LoomlogError `config-invalid` */
function openAi({ environment, model, dimensions }: ModelSetting): EmbedderConfig {
  const endpoint = endpointConfig(environment, model)
  const vectorSpace = { name: `openai:${model}-${dimensions}`, dimensions }
  return {
    vectorSpace,
    async open(limits) {
      const { openAiEmbedder } = await import('@loomlog/models/openai-embeddings')
      return openAiEmbedder({ ...endpoint, ...limits, model, vectorSpace })
    },
  }
}

function transformers({ model, dimensions }: ModelSetting): EmbedderConfig {
  const precision = 'q8'
  const vectorSpace = { name: `transformers:${model}-${precision}`, dimensions }
  return {
    vectorSpace,
    async open() {
      const { transformersEmbedder } = await import('@loomlog/models/transformers')
      return transformersEmbedder({ model, precision, vectorSpace })
    },
  }
}
