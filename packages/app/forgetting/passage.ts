/**
 * The passage of a forgetting's marker through the derivations: every stage that runs has passed it on, every view has
 * removed the rows before it, and the feed has published it. Only then does no process read the records before it.
 */

import { isLoomlogError } from '@loomlog/errors'
import type { ForgettingState } from '@loomlog/forgetting/forgettings'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { viewSources } from '@loomlog/host/generation-reader'
import { isRunning } from '@loomlog/host/hosting'
import type { Host } from '@loomlog/host/open'
import { viewStore } from '@loomlog/host/view-store'
import { partitionOf } from '@loomlog/log/partition'
import { publisherGroup } from '@loomlog/publisher/publisher'
import { groupOf } from '@loomlog/runtime/run'
import { spaceKey } from '@loomlog/schemas/ids'
import { tablesOf, viewId } from '@loomlog/views/catalogue'

export class Passage {
  readonly #host: Host
  readonly #forgetting: string
  readonly #space: string
  readonly #partition: number
  /** By topic: the offset of the marker, or where to look for it next. */
  readonly #markers = new Map<string, { offset: number | null; next: number }>()

  constructor(host: Host, { id, tenant, space }: Pick<ForgettingState, 'id' | 'tenant' | 'space'>) {
    this.#host = host
    this.#forgetting = id
    this.#space = spaceKey(tenant, space)
    this.#partition = partitionOf(this.#space, host.partitions)
  }

  /** Names of the stages, views and feed that have not passed it yet. */
  async behind(): Promise<readonly string[]> {
    const { host, partition } = { host: this.#host, partition: this.#partition }
    const known = await readGenerations(host.log, host.codec)
    const groups = new Map((await host.log.groups()).map((lag) => [`${lag.group} ${lag.partition}`, lag.position]))
    const behind = new Set<string>()
    const isBehind = async (topic: string, position: number | undefined) => {
      const marker = await this.#markerIn(topic)
      return marker === null || (position ?? 0) <= marker
    }
    for (const generation of [...known.generations.values()].filter(isRunning)) {
      const serving = servingGeneration(generation, host.topics)
      for (const { stage, derivation, reads } of serving.stages)
        if (await isBehind(reads, groups.get(`${groupOf(stage, derivation)} ${partition}`))) behind.add(stage)
      for (const [topic, source] of viewSources(serving, host)) {
        const view = { topic, view: viewId(source, serving.viewEmbedder) }
        if (await isBehind(source, await this.#watermark(view))) behind.add(`the view of ${topic}`)
      }
    }
    const published = groups.get(`${publisherGroup} ${partition}`)
    if (published !== undefined && (await isBehind('utterances', published))) behind.add('the feed')
    return [...behind]
  }

  async #markerIn(topic: string): Promise<number | null> {
    const { log, codec } = this.#host
    const place = this.#markers.get(topic) ?? { offset: null, next: 0 }
    this.#markers.set(topic, place)
    const from = new Map([[this.#partition, place.next]])
    for await (const records of log.read({ topic, partitions: [this.#partition], from, until: 'end' })) {
      for (const record of records) {
        place.next = record.offset + 1
        const event = record.key === this.#space ? await codec.decodeOwn(record.value) : null
        if (event?.type === 'SubjectForgotten' && event.forgetting === this.#forgetting) place.offset = record.offset
      }
    }
    return place.offset
  }

  /** The lowest watermark of the view's tables. */
  async #watermark({ topic, view }: { readonly topic: string; readonly view: string }): Promise<number> {
    const tables = tablesOf(topic, this.#host.tables)
    const vectorSpace = this.#host.embedder.vectorSpace
    const place = { view, partition: this.#partition, tables, vectorSpace }
    try {
      const shard = await viewStore(this.#host).read(place, 'as opened')
      try {
        return Math.min(...(await Promise.all(tables.map(async (table) => (await shard.watermark(table)).offset))))
      } finally {
        await shard.close()
      }
    } catch (error) {
      // Not written yet, or being rebuilt: a rebuilt view reads the marker.
      if (isLoomlogError(error, 'not-found') || isLoomlogError(error, 'view-corrupt')) return 0
      throw error
    }
  }
}
