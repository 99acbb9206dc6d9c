/** `loomlog status`: how far each stage and view has come, what is parked, how large it all is. Needs no running process. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { GenerationPlan } from '@loomlog/generations/plan'
import { type Host, viewsUri } from '@loomlog/host/open'
import { groupOf } from '@loomlog/runtime/run'
import { prepareGeneration, viewReader, viewSources } from '../pipeline.ts'
import { count, heading, type Output, print, printJson, table } from '../print.ts'
import { readParked } from './parked.ts'

export interface StageStatus {
  readonly name: string
  readonly topic: string
  /** Sums over the partitions; lag is in offsets. */
  readonly position: number
  readonly end: number
  readonly lag: number
  /** Who holds its partitions now. */
  readonly owners: readonly string[]
}

export interface Status {
  readonly generation: string
  readonly embedder: string
  readonly model: string | null
  readonly stages: readonly StageStatus[]
  readonly views: readonly StageStatus[]
  readonly parked: number
  readonly bytes: { readonly log: number; readonly views: number }
}

export async function readStatus(host: Host): Promise<Status> {
  const plan = await prepareGeneration(host)
  const dir = host.config.dir
  const views = await bytesIn(viewsUri(host.config))
  return {
    generation: plan.id,
    embedder: host.embedder.space.name,
    model: host.model?.name ?? null,
    stages: await stageStatus(host, plan),
    views: await viewStatus(host, plan),
    parked: (await readParked(host)).length,
    bytes: { log: (await bytesIn(dir)) - views, views },
  }
}

export async function status(output: Output, host: Host): Promise<void> {
  const now = await readStatus(host)
  if (output.json) return printJson(now)
  print(`generation ${now.generation}, answered by ${now.model ?? 'rules'}, embedded by ${now.embedder}`)
  const rows = [...now.stages, ...now.views].map((part) => [
    part.name,
    count(part.position),
    count(part.end),
    count(part.lag),
    part.owners.join(' ') || '—',
  ])
  print(heading(table([['', 'done', 'of', 'lag', 'held by'], ...rows]).split('\n')[0] ?? ''))
  print(
    table([['', 'done', 'of', 'lag', 'held by'], ...rows])
      .split('\n')
      .slice(1)
      .join('\n'),
  )
  print(`parked: ${count(now.parked)}; log ${megabytes(now.bytes.log)}, views ${megabytes(now.bytes.views)}`)
}

async function stageStatus(host: Host, plan: GenerationPlan): Promise<StageStatus[]> {
  const groups = await host.log.groups()
  return Promise.all(
    plan.stages.map(async ({ processor, derivation, reads }) => {
      const group = groupOf(processor.stage, derivation)
      const lags = groups.filter((lag) => lag.group === group)
      const position = sum(lags.map((lag) => lag.position))
      const end = sum(await host.log.endOffsets(reads))
      const owners = [...new Set(lags.map((lag) => lag.owner).filter((owner) => owner !== null))]
      return { name: processor.stage, topic: reads, position, end, lag: end - position, owners }
    }),
  )
}

async function viewStatus(host: Host, plan: GenerationPlan): Promise<StageStatus[]> {
  const reader = viewReader(host, plan)
  const found: StageStatus[] = []
  for (const [topic, source] of viewSources(plan)) {
    const ends = await host.log.endOffsets(source)
    let position = 0
    for (const partition of ends.keys()) {
      const view = await reader.viewAt(topic, partition)
      const marks = view === null ? [] : await Promise.all(view.tables.map((name) => view.shard.watermark(name)))
      position += Math.min(...marks.map((mark) => mark.offset), ends[partition] ?? 0) * (marks.length > 0 ? 1 : 0)
    }
    found.push({
      name: `view of ${topic}`,
      topic: source,
      position,
      end: sum(ends),
      lag: sum(ends) - position,
      owners: [],
    })
  }
  await reader.close()
  return found
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    // A file that maintenance removes meanwhile counts no more.
    .map((entry) =>
      stat(join(entry.parentPath, entry.name))
        .then((file) => file.size)
        .catch(() => 0),
    )
  return sum(await Promise.all(sizes))
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
