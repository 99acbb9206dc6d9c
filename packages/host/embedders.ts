/**
 * The configured embedders, by the name of their vector space. Each is opened at its first use, embeds each distinct
 * text once, and has a persistent cache of view vectors.
 */
import type { Sealer } from '@loomlog/log/port'
import { cachedEmbedder } from '@loomlog/models/cache'
import type { Embedder } from '@loomlog/models/embedder'
import { VectorCache } from '@loomlog/models/vector-cache'
import type { Config } from './config.ts'
import type { EmbedderConfig, EmbeddingLimits } from './embedder-kinds.ts'
import { isRetired } from './retired-embedders.ts'

export interface OpenEmbedder {
  /** Serves decisions and views alike. */
  readonly embedder: Embedder
  readonly viewVectors: VectorCache
}

/** Vectors cached in memory, so that a repeated text is embedded once: 10 MB of word vectors. */
const cachedVectors = 10_000

interface EmbeddersOptions extends Pick<Config, 'vectorCacheBytes' | 'embedders'> {
  /** Holds the cache of view vectors; null: it is in memory. */
  readonly dir: string | null
  /** Null: the log is not encrypted. */
  readonly sealing: Sealer | null
  readonly limits: EmbeddingLimits
  /** Reports a local file that is rebuilt, and why. */
  onRebuild(message: string): void
}

export class Embedders {
  readonly #options: EmbeddersOptions
  readonly #byName: ReadonlyMap<string, EmbedderConfig>
  readonly #open = new Map<string, Promise<OpenEmbedder>>()

  constructor(options: EmbeddersOptions) {
    this.#options = options
    this.#byName = new Map(options.embedders.map((each) => [each.vectorSpace.name, each]))
  }

  /** Vector spaces; the first one is that of a new log's first generation. */
  get names(): readonly string[] {
    return [...this.#byName.keys()]
  }

  /** Says that this process lacks the embedder of a vector space, and how to continue; null: it has one. */
  missingReason(name: string): string | null {
    if (this.#byName.has(name)) return null
    const [first] = this.names
    const another = `loomlog generation start --set embedder=${first} --set view-embedder=${first} --wait`
    const advice = isRetired(name) ? another : `configure it (LOOMLOG_MORE_EMBEDDERS), or ${another}`
    return `the embedder ${name}, and this process has ${this.names.join(', ')}: ${advice}`
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
    const { dir, sealing, vectorCacheBytes: maxBytes, limits, onRebuild } = this.#options
    const embedder = cachedEmbedder(await config.open(limits), { maxEntries: cachedVectors })
    return {
      embedder,
      viewVectors: new VectorCache({ dir, sealing, vectorSpace: embedder.vectorSpace.name, maxBytes, onRebuild }),
    }
  }
}
