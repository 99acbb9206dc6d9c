/**
 * The configured embedders, by the name of their vector space. Each is opened at its first use, embeds each distinct text once, and
 * has a persistent cache of view vectors.
 */
import { cachedEmbedder } from '@loomlog/models/cache'
import type { Embedder } from '@loomlog/models/embedder'
import { type InFlightLimiter, inFlightLimiter } from '@loomlog/models/in-flight-limiter'
import type { SpendingLimit } from '@loomlog/models/spending-limit'
import { transformersEmbedder } from '@loomlog/models/transformers'
import { useLite } from '@loomlog/models/use-lite'
import { VectorCache } from '@loomlog/models/vector-cache'
import { wordEmbedder } from '@loomlog/models/words'
import type { Config } from './config.ts'
import type { EmbedderConfig } from './endpoint-config.ts'

export interface OpenEmbedder {
  /** Serves decisions and views alike. */
  readonly embedder: Embedder
  readonly viewVectors: VectorCache
}

/** Vectors cached in memory, so that a repeated text is embedded once: 512 numbers each, 20 MB in all. */
const cachedVectors = 10_000

interface EmbeddersOptions extends Pick<Config, 'dir' | 'vectorCacheBytes' | 'embedders'> {
  /** The spending limit of every embedder behind an endpoint. */
  readonly spending: SpendingLimit
  /** Reports a local file that is rebuilt, and why. */
  onRebuild(message: string): void
}

export class Embedders {
  readonly #options: EmbeddersOptions
  /** Shared by the embedders behind the endpoint; created with the first one. */
  #limiter: InFlightLimiter | null = null
  readonly #byName: ReadonlyMap<string, EmbedderConfig>
  readonly #open = new Map<string, Promise<OpenEmbedder>>()

  constructor(options: EmbeddersOptions) {
    this.#options = options
    this.#byName = new Map(options.embedders.map((each) => [spaceName(each), each]))
  }

  /** Vector spaces; the first one is that of a new log's first generation. */
  get names(): readonly string[] {
    return [...this.#byName.keys()]
  }

  /** Null: no embedder is configured for this vector space. */
  async byName(name: string): Promise<OpenEmbedder | null> {
    const config = this.#byName.get(name)
    if (!config) return null
    const known = this.#open.get(name)
    if (known) return known
    const opened = this.#openEmbedder(config)
    this.#open.set(name, opened)
    opened.catch(() => this.#open.delete(name))
    return opened
  }

  async close(): Promise<void> {
    for (const opening of this.#open.values()) {
      const opened = await opening.catch(() => null)
      await opened?.embedder.close()
      opened?.viewVectors.close()
    }
  }

  async #openEmbedder(config: EmbedderConfig): Promise<OpenEmbedder> {
    const embedder = cachedEmbedder(await this.#adapterOf(config), { maxEntries: cachedVectors })
    const { dir, vectorCacheBytes: maxBytes, onRebuild } = this.#options
    return {
      embedder,
      viewVectors: new VectorCache({ dir, vectorSpace: embedder.vectorSpace.name, maxBytes, onRebuild }),
    }
  }

  async #adapterOf(config: EmbedderConfig): Promise<Embedder> {
    if (config.kind === 'words') return wordEmbedder()
    if (config.kind === 'use-lite') return useLite({ threads: config.threads })
    const { model, dimensions } = config
    if (config.kind === 'transformers') return transformersEmbedder({ model, dimensions })
    const { openAiEmbedder } = await import('@loomlog/models/openai-embeddings')
    this.#limiter ??= inFlightLimiter(config.endpoint.maxConcurrent)
    const shared = { limiter: this.#limiter, spending: this.#options.spending }
    return openAiEmbedder({ ...config.endpoint, ...shared, model, dimensions })
  }
}

/** The name of the vector space, which the adapter gives it too. */
function spaceName(config: EmbedderConfig): string {
  if (config.kind === 'words') return 'words-256'
  if (config.kind === 'use-lite') return 'use-lite-512'
  return config.kind === 'openai' ? `openai:${config.model}-${config.dimensions}` : `transformers:${config.model}-q8`
}
