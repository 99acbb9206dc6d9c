/**
 * Who answers a tenant, with what is needed to read it: resolved once for an answer, so that every answer comes from exactly one
 * generation. Where none is live, what was said is still found, by its words, and nothing is made for it.
 */
import { LoomlogError } from '@loomlog/errors'
import { readableBy } from '@loomlog/generations/generation-names'
import type { Generations } from '@loomlog/generations/generations'
import { answering } from '@loomlog/generations/pointers'
import { type Serving, servingFrom } from '@loomlog/generations/serving'
import type { Embedder } from '@loomlog/models/embedder'
import { type ViewTopic, viewTopics } from '@loomlog/views/catalogue'
import { lanceStore } from '@loomlog/views/lancedb'
import { ViewReader } from '@loomlog/views/reader'
import { type Host, viewsUri } from './open.ts'

export interface Reading {
  /** Null: none is live. */
  readonly generation: string | null
  /** Rises with every change of who answers this tenant; 0 before the first. */
  readonly epoch: number
  readonly views: ViewReader
  /** The one that the views were made with. */
  readonly embedder: Embedder
}

/** A generation that is asked for itself, whoever answers. */
export interface NamedReading {
  /** Its id, the start of it, or its name. */
  readonly generation: string
  /** `tenant/space`: what is to be read of it. */
  readonly spaces: readonly string[]
}

/** The topics of a generation's views, as they are called in the log. */
export function viewSources(serving: Serving): ReadonlyMap<ViewTopic, string> {
  return new Map(viewTopics.map((topic) => [topic, serving.topic(topic)]))
}

export class Readings {
  readonly #host: Host
  readonly #follower: { readonly current: Generations }
  readonly #open = new Map<string, Omit<Reading, 'epoch'>>()

  constructor(host: Host, follower: { readonly current: Generations }) {
    this.#host = host
    this.#follower = follower
  }

  /**
   * @param named null: who answers the tenant
   * @throws LoomlogError `embedder-mismatch` where this process can't have the embedder that the views were made with; `not-found` and
   * `generation-refused` where the named one can't be read
   */
  async of(tenant: string, named: NamedReading | null = null): Promise<Reading> {
    const known = this.#follower.current
    const live = answering(known, tenant)
    const answers = known.generations.get(live?.generation ?? '')
    const generation = named === null ? answers : readableBy(known, named.generation, named.spaces)
    const serving = generation === undefined ? null : servingFrom(generation)
    return { ...(await this.#reading(serving)), epoch: live?.epoch ?? 0 }
  }

  /** Whatever is live. */
  async generation(serving: Serving): Promise<ViewReader> {
    return (await this.#reading(serving)).views
  }

  async close(): Promise<void> {
    for (const { views } of this.#open.values()) await views.close()
    this.#open.clear()
  }

  async #reading(serving: Serving | null): Promise<Omit<Reading, 'epoch'>> {
    const key = serving?.id ?? ''
    const known = this.#open.get(key)
    if (known) return known
    const { embedders, embedder: usual, partitions, config } = this.#host
    const name = serving?.viewEmbedder ?? usual.space.name
    const opened = await embedders.named(name)
    if (opened === null) throw mismatch(name, embedders.names)
    const { embedder } = opened
    const sources = serving === null ? new Map([['utterances', 'utterances']] as const) : viewSources(serving)
    const views = new ViewReader({
      store: lanceStore(viewsUri(config)),
      vectorSpace: embedder.space,
      partitions,
      sources,
      log: this.#host.log,
      onReplaced: this.#host.notify,
    })
    const reading = this.#open.get(key) ?? { generation: serving?.id ?? null, views, embedder }
    this.#open.set(key, reading)
    return reading
  }
}

function mismatch(wanted: string, names: readonly string[]): LoomlogError {
  return new LoomlogError(
    'embedder-mismatch',
    `this memory is searched in the vector space ${wanted}, and LOOMLOG_EMBEDDER gives ${names.join(', ')}: name another in ` +
      'LOOMLOG_MORE_EMBEDDERS',
  )
}
