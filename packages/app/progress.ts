/**
 * The position of every stage and view in the topic that it reads, from the log and the views alone: it is the same for
 * every process, also while none derives.
 */
import type { Generations } from '@loomlog/generations/generations'
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import { type GenerationReader, viewSources } from '@loomlog/host/generation-reader'
import { frozenViewReason } from '@loomlog/host/missing-embedder'
import type { Host } from '@loomlog/host/open'
import { frozenReason } from '@loomlog/host/stage'
import { beyondEnd } from '@loomlog/log/beyond-end'
import type { GroupLag } from '@loomlog/log/port'
import { publisherGroup } from '@loomlog/publisher/publisher'
import type { Processor } from '@loomlog/runtime/processor'
import { groupOf } from '@loomlog/runtime/run'
import { processorsOf } from './processors.ts'

export interface Progress {
  readonly name: string
  readonly topic: string
  /** Sums over the partitions; lag is in offsets. */
  readonly position: number
  readonly end: number
  readonly lag: number
  /** The next offset that is not done, by partition. */
  readonly positions: readonly number[]
  /** The owners of its partitions; empty for views. */
  readonly owners: readonly string[]
  /** Why this process does not run it; null: it does. */
  readonly frozen: string | null
}

interface ProgressOf {
  /** The processors that this process runs. Default: all that are installed. */
  readonly processors?: readonly Processor[]
  readonly host: Host
  readonly known: Generations
  readonly serving: ServingGeneration
  readonly generationReader: GenerationReader
}

/** Progress of the stages and, once they have caught up, of the views, whose watermarks take longer to read. */
export async function generationProgress(of: ProgressOf): Promise<readonly Progress[]> {
  const stages = await stageProgress(of)
  if (stages.some((stage) => stage.lag > 0 && stage.frozen === null)) return stages
  return [...stages, ...(await viewProgress(of))]
}

export async function stageProgress({
  host,
  known,
  serving,
  processors = processorsOf(host),
}: Omit<ProgressOf, 'generationReader'>): Promise<readonly Progress[]> {
  const groups = await host.log.groups()
  return Promise.all(
    serving.stages.map(async ({ stage, derivation, reads }) => {
      const group = groups.filter((lag) => lag.group === groupOf(stage, derivation))
      const ends = await host.log.endOffsets(reads)
      const positions = ends.map((_, partition) => positionIn(group, partition))
      return progressOf(
        {
          name: stage,
          topic: reads,
          positions,
          owners: ownersOf(group),
          frozen: whyFrozen({ host, known, processors }, derivation),
        },
        ends,
      )
    }),
  )
}

/** Progress of the feed: `memory-events` reflects the utterances below its position. */
export async function publisherProgress({ log }: Host): Promise<Progress> {
  const group = (await log.groups()).filter((lag) => lag.group === publisherGroup)
  const ends = await log.endOffsets('utterances')
  const positions = ends.map((_, partition) => positionIn(group, partition))
  return progressOf({ name: 'publisher', topic: 'utterances', positions, owners: ownersOf(group), frozen: null }, ends)
}

export async function viewProgress({ host, serving, generationReader }: ProgressOf): Promise<readonly Progress[]> {
  const views = await generationReader.viewsOf(serving)
  const frozen = frozenViewReason(host, serving.viewEmbedder)
  const found: Progress[] = []
  for (const [topic, source] of viewSources(serving, host)) {
    const ends = await host.log.endOffsets(source)
    const positions = await Promise.all(
      ends.map(async (end, partition) => (end === 0 ? 0 : Math.min(end, await views.watermark(topic, partition)))),
    )
    found.push(progressOf({ name: `view of ${topic}`, topic: source, positions, owners: [], frozen }, ends))
  }
  return found
}

/** The age of the oldest record that the part does not reflect yet, in ms of log time; 0: there is none. */
export async function behindMs({ log }: Host, { topic, positions, end, position }: Progress): Promise<number> {
  if (position >= end) return 0
  const now = Date.now()
  const ages = await Promise.all(
    positions.map(async (from, partition) => {
      const read = log.read({
        topic,
        partitions: [partition],
        from: new Map([[partition, from]]),
        until: 'end',
        maxRecords: 100,
      })
      for await (const records of read) {
        // Watermark records have no key, and don't count.
        const first = records.find((record) => record.key !== null)
        if (first) return now - first.timestamp
      }
      return 0
    }),
  )
  return Math.max(0, ...ages)
}

function ownersOf(group: readonly GroupLag[]): readonly string[] {
  return [...new Set(group.map(({ owner }) => owner).filter((owner) => owner !== null))]
}

function positionIn(group: readonly GroupLag[], partition: number): number {
  return group.find((lag) => lag.partition === partition)?.position ?? 0
}

/** Why a derivation can't run in this process; null: it runs. */
export function whyFrozen(
  { host, known, processors }: Pick<ProgressOf, 'host' | 'known'> & { readonly processors: readonly Processor[] },
  id: string,
): string | null {
  const derivation = known.derivations.get(id)
  const processor = processors.find(({ stage }) => stage === derivation?.stage)
  if (!derivation) return 'its recipe is unknown'
  return processor ? frozenReason(host, processor, derivation) : `${derivation.stage} is not installed`
}

function progressOf(part: Omit<Progress, 'position' | 'end' | 'lag'>, ends: readonly number[]): Progress {
  for (const [partition, next] of part.positions.entries()) {
    const end = ends[partition] ?? 0
    if (next > end) throw beyondEnd({ topic: part.topic, partition, next, end })
  }
  const [position, end] = [sum(part.positions), sum(ends)]
  return { ...part, position, end, lag: end - position }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
