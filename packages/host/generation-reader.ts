/**
 * Opens a tenant's live generation for reading. A request resolves it once, so its reply comes from exactly one
 * generation. While none is live, utterances are still found, by their words, and no view is built.
 */
import { LoomlogError } from '@loomlog/errors'
import { findReadableGeneration } from '@loomlog/generations/generation-names'
import type { Generations } from '@loomlog/generations/generations'
import { liveGeneration } from '@loomlog/generations/pointers'
import { type ServingGeneration, servingGeneration } from '@loomlog/generations/serving-generation'
import type { Embedder } from '@loomlog/models/embedder'
import { viewTopics } from '@loomlog/views/catalogue'
import { ViewReader } from '@loomlog/views/reader'
import { SpaceCache } from '@loomlog/views/space-cache'
import { frozenViewReason } from './missing-embedder.ts'
import type { Host } from './open.ts'
import { retiredEmbedder } from './retired-embedders.ts'
import { viewStore } from './view-store.ts'

export interface ReadableGeneration {
  /** Null: none is live. */
  readonly generation: string | null
  /** Rises with every change of the tenant's live generation; 0 before the first. */
  readonly epoch: number
  readonly views: ViewReader
  /** The embedder of the views. */
  readonly embedder: Embedder
}

/** A request for one generation, live or not. */
export interface GenerationRequest {
  /** The generation's id, the start of it, or its name. */
  readonly generation: string
  /** The spaces to read, as `tenant/space`. */
  readonly spaces: readonly string[]
}

/** The topics of a generation's views, with their names in the log. */
export function viewSources(serving: ServingGeneration, { tables }: Pick<Host, 'tables'>): ReadonlyMap<string, string> {
  const topics = viewTopics(tables).filter((topic) => serving.has(topic))
  return new Map(topics.map((topic) => [topic.name, serving.topic(topic)]))
}

/** Largest number of generations whose views stay open. */
const maxOpen = 16

export class GenerationReader {
  readonly #host: Host
  readonly #follower: { readonly current: Generations }
  /** By generation, from the one that was read longest ago. */
  readonly #open = new Map<string, Omit<ReadableGeneration, 'epoch'>>()
  /** One cache for all generations; null: LOOMLOG_SPACE_CACHE_MB is 0. */
  readonly #cache: SpaceCache | null

  constructor(host: Host, follower: { readonly current: Generations }) {
    this.#host = host
    const { spaceCacheBytes: maxBytes } = host.config
    this.#cache = maxBytes === 0 ? null : new SpaceCache({ maxBytes })
    this.#follower = follower
  }

  /**
   * @param named null: the tenant's live generation
   * @throws LoomlogError `embedder-mismatch` if the embedder of the views is not configured here; `not-found` and
   * `generation-refused` if the named generation can't be read
   */
  async open(tenant: string, named: GenerationRequest | null = null): Promise<ReadableGeneration> {
    const known = this.#follower.current
    const live = liveGeneration(known, tenant)
    const ofTenant = known.generations.get(live?.generation ?? '')
    const generation = named === null ? ofTenant : findReadableGeneration(known, named.generation, named.spaces)
    const serving = generation === undefined ? null : servingGeneration(generation, this.#host.topics)
    return { ...(await this.#reading(serving)), epoch: live?.epoch ?? 0 }
  }

  /** Memory of the spaces that are kept for recall, estimated. */
  get cacheBytes(): number {
    return this.#cache?.bytes ?? 0
  }

  /** The views of this generation, live or not. */
  async viewsOf(serving: ServingGeneration): Promise<ViewReader> {
    return (await this.#reading(serving)).views
  }

  async close(): Promise<void> {
    for (const { views } of this.#open.values()) await views.close()
    this.#open.clear()
  }

  async #reading(serving: ServingGeneration | null): Promise<Omit<ReadableGeneration, 'epoch'>> {
    const reading = await this.#opened(serving)
    const key = reading.generation ?? ''
    // The last entry is the one that was read last.
    this.#open.delete(key)
    this.#open.set(key, reading)
    this.#evict()
    return reading
  }

  /**
   * Forgets removed generations, and beyond `maxOpen` those that were read longest ago. Reads under way keep their
   * shards.
   */
  #evict(): void {
    const { generations } = this.#follower.current
    for (const [id, { views }] of this.#open) {
      const status = generations.get(id)?.status
      const isGone = status === 'removing' || status === 'removed'
      if (!isGone && this.#open.size <= maxOpen) continue
      this.#open.delete(id)
      views.forget()
    }
  }

  async #opened(serving: ServingGeneration | null): Promise<Omit<ReadableGeneration, 'epoch'>> {
    const key = serving?.id ?? ''
    const known = this.#open.get(key)
    if (known) return known
    const { embedders, embedder: defaultEmbedder, partitions } = this.#host
    const name = serving?.viewEmbedder ?? defaultEmbedder.vectorSpace.name
    const embedder = (await embedders.byName(name))?.embedder ?? this.#retired(name)
    const sources = serving === null ? new Map([['utterances', 'utterances']]) : viewSources(serving, this.#host)
    const views = new ViewReader({
      store: viewStore(this.#host),
      tables: this.#host.tables,
      vectorSpace: embedder.vectorSpace,
      partitions,
      sources,
      log: this.#host.log,
      ...(this.#cache && { cache: this.#cache }),
      isVoid: (viewed) => this.#host.pendingForgettings.isVoid(viewed),
      onReplaced: this.#host.notify,
    })
    const reading = this.#open.get(key) ?? { generation: serving?.id ?? null, views, embedder }
    this.#open.set(key, reading)
    return reading
  }

  /** @throws LoomlogError `embedder-mismatch` */
  #retired(name: string): Embedder {
    const why = frozenViewReason(this.#host, name) ?? ''
    const embedder = retiredEmbedder(name)
    if (embedder === null) throw new LoomlogError('embedder-mismatch', why)
    this.#host.notify(`memories are found by their words alone, since ${why}`)
    return embedder
  }
}
