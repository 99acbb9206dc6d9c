/** `loomlog generation list|show`: all generations with their status; the progress, speed and history of one. */
import { setTimeout as sleep } from 'node:timers/promises'
import { behindMs, type Progress, stageProgress, viewProgress } from '@loomlog/app/progress'
import { generationBy } from '@loomlog/generations/generation-names'
import { type Generation, type Generations, scopeOf } from '@loomlog/generations/generations'
import { answering, answersFor } from '@loomlog/generations/pointers'
import { scopeText } from '@loomlog/generations/scope'
import { servingFrom } from '@loomlog/generations/serving'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { Readings } from '@loomlog/host/readings'
import { count, faint, heading, moment, type Output, print, printJson, table } from '../../print.ts'

/** Time between the two measurements of a rate. */
const rateMs = 1_000

export async function list(output: Output, host: Host): Promise<void> {
  const known = await readGenerations(host.log, host.codec)
  const generations = [...known.generations.values()].map((generation) => summaryOf(known, generation))
  if (output.json)
    return printJson({ epoch: known.epoch, live: answering(known, null)?.generation ?? null, generations })
  if (generations.length === 0) return print('there is no generation yet: loomlog init, ingest or up creates the first')
  const rows = generations.map((each) => {
    const live = each.liveFor.length === 0 ? '' : `live for ${each.liveFor.join(', ')}`
    const over = each.scope === 'all' ? '' : scopeText(each.scope)
    const set = Object.keys(each.chosen).join(', ')
    return [each.id, each.status, live, each.name ?? '', moment(each.definedAt), set, over]
  })
  print(table([['generation', 'status', '', 'name', 'defined', 'set', 'over'], ...rows]))
}

function summaryOf(known: Generations, generation: Generation) {
  return { ...generation, scope: scopeOf(known, generation), liveFor: answersFor(known, generation.id) }
}

export async function show(command: Output & { readonly generation: string }, host: Host): Promise<void> {
  const known = await readGenerations(host.log, host.codec)
  const generation = generationBy(known, command.generation)
  const readings = new Readings(host, { current: known })
  const of = { host, known, serving: servingFrom(generation, host.topics), readings }
  try {
    const isThere = generation.status !== 'defined' && generation.status !== 'removed'
    const look = async () => (isThere ? [...(await stageProgress(of)), ...(await viewProgress(of))] : [])
    const { parts, rate, leftMs } = await measured(look, generation.status === 'running')
    const behind = await Promise.all(parts.map((part) => behindMs(host, part)))
    const history = known.history.filter(({ event }) => event.generation === generation.id)
    const summary = summaryOf(known, generation)
    const progress = parts.map((part, index) => ({ ...part, behindMs: behind[index] ?? 0 }))
    if (command.json) return printJson({ ...summary, progress, rate, leftMs, history })
    printSummary(summary)
    printProgress(progress, { rate, leftMs })
    for (const { event, refused } of history) {
      const what =
        event.type === 'GenerationPromoted' ? `${event.cause} for ${event.tenant ?? 'everyone'}` : event.status
      print(`${faint(moment(event.at))}  ${what}${refused === null ? '' : faint(` (refused: ${refused})`)}`)
    }
  } finally {
    await readings.close()
  }
}

/** Records per second over a moment, and the time left at that rate; null where nothing moves. */
async function measured(look: () => Promise<readonly Progress[]>, isRunning: boolean) {
  const before = await look()
  const left = (parts: readonly Progress[]) => parts.reduce((sum, part) => sum + Math.max(0, part.lag), 0)
  if (!isRunning || left(before) === 0) return { parts: before, rate: null, leftMs: left(before) === 0 ? 0 : null }
  const startedAt = performance.now()
  await sleep(rateMs)
  const parts = await look()
  const done = (of: readonly Progress[]) => of.reduce((sum, part) => sum + part.position, 0)
  const rate = ((done(parts) - done(before)) / (performance.now() - startedAt)) * 1_000
  return { parts, rate, leftMs: rate > 0 ? (left(parts) / rate) * 1_000 : null }
}

function printSummary({
  id,
  name,
  status,
  scope,
  liveFor,
  viewEmbedder,
  chosen,
  share,
}: ReturnType<typeof summaryOf>): void {
  print(`generation ${id}${name === null ? '' : ` (${name})`}: ${status}, over ${scopeText(scope)}`)
  print(liveFor.length === 0 ? 'live for no tenant' : `live for ${liveFor.join(', ')}`)
  print(`views embedded by ${viewEmbedder}${share === null ? '' : `; ${share * 100} % of the time beside live work`}`)
  for (const [key, value] of Object.entries(chosen)) print(`  ${key} = ${value}`)
}

function printProgress(
  progress: readonly (Progress & { readonly behindMs: number })[],
  { rate, leftMs }: { readonly rate: number | null; readonly leftMs: number | null },
): void {
  if (progress.length === 0) return
  const rows = progress.map((part) => [
    part.name,
    count(part.position),
    count(part.end),
    part.behindMs === 0 ? '' : `${(part.behindMs / 1_000).toFixed(1)} s behind`,
    part.frozen === null ? '' : `frozen: ${part.frozen}`,
  ])
  const [titles = '', ...lines] = table([['', 'done', 'of', '', ''], ...rows]).split('\n')
  print([heading(titles), ...lines].join('\n'))
  if (rate === null) return
  const still = 'no progress: loomlog up, the services, or loomlog generation start --wait derive it'
  const left = leftMs === null ? still : `about ${count(Math.ceil(leftMs / 1_000))} s left`
  print(`${count(Math.round(rate))} records/s, ${left}`)
}
