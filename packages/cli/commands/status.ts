/** `loomlog status`: how far each stage and view has come, what is parked, how large it all is. Needs no running process. */
import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { liveServing } from '@loomlog/app/generations/live'
import { type Progress, stageProgress, viewProgress } from '@loomlog/app/progress'
import type { Generations } from '@loomlog/generations/generations'
import type { Serving } from '@loomlog/generations/serving'
import { readGenerations } from '@loomlog/generations/store'
import { type Host, viewsUri } from '@loomlog/host/open'
import { Readings } from '@loomlog/host/readings'
import { count, heading, type Output, print, printJson, table } from '../print.ts'
import { readParked } from './parked.ts'

export interface Status {
  /** Null: none is live yet. */
  readonly generation: string | null
  /** How many promotions there were. */
  readonly epoch: number
  /** Others that are being derived beside it. */
  readonly beside: readonly string[]
  readonly embedder: string
  readonly model: string | null
  readonly stages: readonly Progress[]
  readonly views: readonly Progress[]
  readonly parked: number
  readonly bytes: { readonly log: number; readonly views: number }
}

export async function readStatus(host: Host): Promise<Status> {
  const known = await readGenerations(host.log, host.codec)
  const serving = liveServing(known, null)
  const dir = host.config.dir
  const views = viewsUri(host.config)
  const viewBytes = await bytesIn(views)
  const within = relative(dir, views).startsWith('..') ? 0 : viewBytes
  const readings = new Readings(host, { current: known })
  const of = serving && { host, known, serving, readings }
  const running = [...known.generations.values()].filter(({ status }) => status === 'running')
  const status = {
    generation: serving?.id ?? null,
    epoch: known.epoch,
    beside: running.map(({ id }) => id).filter((id) => id !== serving?.id),
    embedder: serving?.viewEmbedder ?? host.embedder.space.name,
    model: modelOf(known, serving),
    stages: of ? await stageProgress(of) : [],
    views: of ? await viewProgress(of) : [],
    parked: (await readParked(host)).length,
    bytes: { log: (await bytesIn(dir)) - within, views: viewBytes },
  }
  await readings.close()
  return status
}

/** Who answers its stages; null: rules. */
function modelOf(known: Generations, serving: Serving | null): string | null {
  const models = serving?.stages.map(({ derivation }) => known.derivations.get(derivation)?.recipe.model?.name)
  return [...new Set(models?.filter((name) => name !== undefined))].join(', ') || null
}

export async function status(output: Output, host: Host): Promise<void> {
  const now = await readStatus(host)
  if (output.json) return printJson(now)
  print(`generation ${now.generation ?? 'none'}, answered by ${now.model ?? 'rules'}, embedded by ${now.embedder}`)
  const rows = [...now.stages, ...now.views].map((part) => [
    part.name,
    count(part.position),
    count(part.end),
    count(part.lag),
    part.frozen === null ? part.owners.join(' ') || '—' : `frozen: ${part.frozen}`,
  ])
  const [titles = '', ...lines] = table([['', 'done', 'of', 'lag', 'held by'], ...rows]).split('\n')
  print([heading(titles), ...lines].join('\n'))
  if (now.beside.length > 0) print(`beside it: ${now.beside.join(', ')} (loomlog generation show)`)
  print(`parked: ${count(now.parked)}; log ${megabytes(now.bytes.log)}, views ${megabytes(now.bytes.views)}`)
}

/** Of an object store: 0, since asking for it takes a while and costs. */
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
