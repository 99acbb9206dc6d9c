/**
 * A memory that loomlog ingests from a file, opened for `recall()`. A folder that has the file already is only read.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventsOf } from '@loomlog/app/derived-events'
import { LoomlogError } from '@loomlog/errors'
import { liveGeneration } from '@loomlog/generations/pointers'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { viewStore } from '@loomlog/host/view-store'
import type { RecallOptions } from '@loomlog/recall/recall-options'
import type { Model } from '@loomlog/runtime/answers'
import type { LogEvent } from '@loomlog/schemas/events'
import { viewTopics } from '@loomlog/views/catalogue'
import { ViewReader } from '@loomlog/views/reader'
import { SpaceCache } from '@loomlog/views/space-cache'
import { utterances } from '@loomlog/views/tables/utterances'
import { loomlog } from '../../pipeline/loomlog.ts'
import { messageOf } from './message-of.ts'

export async function ingest(file: string, format: 'jsonl' | 'locomo', space: string, dir: string): Promise<string> {
  const run = await loomlog(['ingest', file, '--format', format, '--space', space, '--dir', dir])
  if (run.code !== 0) throw new LoomlogError('input-invalid', `the ingest of ${file} failed: ${run.stderr}`)
  return run.stdout
}

/** @param lines in the JSON Lines format of `loomlog ingest` */
export async function ingestLines(lines: string, space: string, dir: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loomlog-lines-'))
  try {
    const file = join(folder, `${space}.jsonl`)
    await writeFile(file, lines)
    return await ingest(file, 'jsonl', space, dir)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The place that recall searches: spaces in memory, as in the product, or the tables. */
export type SearchPlace = 'memory' | 'tables'

export interface Memory extends RecallOptions {
  readonly searchPlace: SearchPlace
  /** The live generation. */
  readonly generation: string
  /** Null: none is configured. */
  readonly model: Model | null
  /**
   * The cosine of a query with each message of a space, by id; of a message in parts, with the part that is nearest.
   */
  cosines(space: string, query: string): Promise<ReadonlyMap<string, number>>
  /** Every event that the stages derived, of all spaces. */
  derivedEvents(): Promise<readonly LogEvent[]>
  close(): Promise<void>
}

const allRows = 1_000_000

export async function openMemory(dir: string, searchPlace: SearchPlace = 'memory'): Promise<Memory> {
  const host = await openHost(configFrom({ ...process.env, LOOMLOG_DIR: dir }))
  const known = await readGenerations(host.log, host.codec)
  const generation = liveGeneration(known, null)?.generation ?? ''
  const live = known.generations.get(generation)
  if (live === undefined) throw new LoomlogError('not-found', `${dir} holds no live generation: ingest a file first`)
  const serving = servingGeneration(live, host.topics)
  const sources = new Map(viewTopics().map((topic) => [topic.name, serving.topic(topic)]))
  const { log, codec, embedder, partitions, config } = host
  const views = new ViewReader({
    store: viewStore(host),
    vectorSpace: embedder.vectorSpace,
    partitions,
    sources,
    ...(searchPlace === 'memory' && { cache: new SpaceCache({ maxBytes: config.spaceCacheBytes }) }),
  })
  return {
    searchPlace,
    generation,
    log,
    codec,
    views,
    embedder,
    model: host.model,
    async cosines(space, query) {
      const [vector = new Float32Array()] = await embedder.embed([query])
      const hits = await views.nearest(utterances, { space, vector, limit: allRows })
      // The nearest last, so that it stays.
      return new Map(hits.toReversed().map(({ row, score }) => [messageOf(row.id), score]))
    },
    async derivedEvents() {
      const events: LogEvent[] = []
      for (const { writes } of serving.stages) for await (const { event } of eventsOf(host, writes)) events.push(event)
      return events
    },
    async close() {
      await views.close()
      await host.close()
    },
  }
}
