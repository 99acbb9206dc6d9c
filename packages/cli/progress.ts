/**
 * How far every stage and view has come in the topic it reads: from the log and the views alone, so it is the same whichever process
 * does the work, and can be told while none does.
 */
import type { Serving } from '@loomlog/generations/serving'
import type { Host } from '@loomlog/host/open'
import { groupOf } from '@loomlog/runtime/run'
import type { ViewReader } from '@loomlog/views/reader'
import { viewSources } from './generation.ts'

export interface Progress {
  readonly name: string
  readonly topic: string
  /** Sums over the partitions; lag is in offsets. */
  readonly position: number
  readonly end: number
  readonly lag: number
  /** Who holds its partitions now; empty for views, whose owners are those of the group behind them. */
  readonly owners: readonly string[]
}

export async function stageProgress(host: Host, serving: Serving): Promise<readonly Progress[]> {
  const groups = await host.log.groups()
  return Promise.all(
    serving.stages.map(async ({ stage, derivation, reads }) => {
      const group = groupOf(stage, derivation)
      const lags = groups.filter((lag) => lag.group === group)
      const owners = [...new Set(lags.map((lag) => lag.owner).filter((owner) => owner !== null))]
      const position = sum(lags.map((lag) => lag.position))
      return progressOf(stage, reads, { position, end: sum(await host.log.endOffsets(reads)), owners })
    }),
  )
}

export async function viewProgress(host: Host, serving: Serving, views: ViewReader): Promise<readonly Progress[]> {
  const found: Progress[] = []
  for (const [topic, source] of viewSources(serving)) {
    const ends = await host.log.endOffsets(source)
    let position = 0
    for (const [partition, end] of ends.entries()) {
      const view = end === 0 ? null : await views.viewAt(topic, partition)
      if (view === null) continue
      const marks = await Promise.all(view.tables.map((name) => view.shard.watermark(name)))
      position += Math.min(end, ...marks.map((mark) => mark.offset))
    }
    found.push(progressOf(`view of ${topic}`, source, { position, end: sum(ends), owners: [] }))
  }
  return found
}

function progressOf(name: string, topic: string, at: Pick<Progress, 'position' | 'end' | 'owners'>): Progress {
  return { name, topic, ...at, lag: at.end - at.position }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
