/** `loomlog status`: how far each stage and view has come, what is parked, how large it all is. Needs no running process. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Host, viewsUri } from '@loomlog/host/open'
import { liveGeneration, viewReader } from '../generation.ts'
import { count, heading, type Output, print, printJson, table } from '../print.ts'
import { type Progress, stageProgress, viewProgress } from '../progress.ts'
import { readParked } from './parked.ts'

export interface Status {
  readonly generation: string
  readonly embedder: string
  readonly model: string | null
  readonly stages: readonly Progress[]
  readonly views: readonly Progress[]
  readonly parked: number
  readonly bytes: { readonly log: number; readonly views: number }
}

export async function readStatus(host: Host): Promise<Status> {
  const serving = await liveGeneration(host)
  const dir = host.config.dir
  const reader = viewReader(host, serving)
  const bytes = await bytesIn(viewsUri(host.config))
  const status = {
    generation: serving.id,
    embedder: host.embedder.space.name,
    model: host.model?.name ?? null,
    stages: await stageProgress(host, serving),
    views: await viewProgress(host, serving, reader),
    parked: (await readParked(host)).length,
    bytes: { log: (await bytesIn(dir)) - bytes, views: bytes },
  }
  await reader.close()
  return status
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
  const [titles = '', ...lines] = table([['', 'done', 'of', 'lag', 'held by'], ...rows]).split('\n')
  print([heading(titles), ...lines].join('\n'))
  print(`parked: ${count(now.parked)}; log ${megabytes(now.bytes.log)}, views ${megabytes(now.bytes.views)}`)
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
