/** The generations with their status; the progress, speed and history of one. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { DerivationScope } from '@loomlog/generations/derivation-scope'
import { findGeneration } from '@loomlog/generations/generation-names'
import { type Generation, type GenerationChange, type Generations, scopeOf } from '@loomlog/generations/generations'
import { liveGeneration, liveScopes } from '@loomlog/generations/pointers'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { GenerationReader } from '@loomlog/host/generation-reader'
import type { Host } from '@loomlog/host/open'
import type { GenerationStatus } from '@loomlog/schemas/events'
import { behindMs, type Progress, stageProgress, viewProgress } from '../progress.ts'

/** Time between the two measurements of a rate. */
const rateMs = 1_000
/** Statuses in which a rate is measured. A command may derive a generation that is not started (`defined`). */
const measuredIn: ReadonlySet<GenerationStatus> = new Set(['defined', 'running'])

export interface GenerationSummary extends Generation {
  readonly scope: DerivationScope
  /** `everyone`, and tenants by name. */
  readonly liveFor: readonly string[]
}

export interface GenerationList {
  readonly epoch: number
  readonly live: string | null
  readonly generations: readonly GenerationSummary[]
}

export interface GenerationDetails extends GenerationSummary {
  readonly progress: readonly (Progress & { readonly behindMs: number })[]
  /** Records per second over `rateMs`, and the time left at that rate; null if no record was processed. */
  readonly rate: number | null
  readonly leftMs: number | null
  readonly history: readonly GenerationChange[]
}

export async function listGenerations(host: Host): Promise<GenerationList> {
  const known = await readGenerations(host.log, host.codec)
  const generations = [...known.generations.values()].map((generation) => summaryOf(known, generation))
  return { epoch: known.epoch, live: liveGeneration(known, null)?.generation ?? null, generations }
}

/** @throws LoomlogError `not-found`, `input-invalid` */
export async function generationDetails(wanted: string, host: Host): Promise<GenerationDetails> {
  const known = await readGenerations(host.log, host.codec)
  const generation = findGeneration(known, wanted)
  const generationReader = new GenerationReader(host, { current: known })
  const of = { host, known, serving: servingGeneration(generation, host.topics), generationReader }
  try {
    const isThere = generation.status !== 'removed'
    const readProgress = async () => (isThere ? [...(await stageProgress(of)), ...(await viewProgress(of))] : [])
    const { parts, rate, leftMs } = await measured(readProgress, measuredIn.has(generation.status))
    const behind = await Promise.all(parts.map((part) => behindMs(host, part)))
    const progress = parts.map((part, index) => ({ ...part, behindMs: behind[index] ?? 0 }))
    const history = known.history.filter(({ event }) => event.generation === generation.id)
    return { ...summaryOf(known, generation), progress, rate, leftMs, history }
  } finally {
    await generationReader.close()
  }
}

function summaryOf(known: Generations, generation: Generation): GenerationSummary {
  return { ...generation, scope: scopeOf(known, generation), liveFor: liveScopes(known, generation.id) }
}

async function measured(readProgress: () => Promise<readonly Progress[]>, isRunning: boolean) {
  const before = await readProgress()
  const left = (parts: readonly Progress[]) => parts.reduce((sum, part) => sum + Math.max(0, part.lag), 0)
  if (!isRunning || left(before) === 0) return { parts: before, rate: null, leftMs: left(before) === 0 ? 0 : null }
  const startedAt = performance.now()
  await sleep(rateMs)
  const parts = await readProgress()
  const done = (of: readonly Progress[]) => of.reduce((sum, part) => sum + part.position, 0)
  const rate = ((done(parts) - done(before)) / (performance.now() - startedAt)) * 1_000
  return { parts, rate, leftMs: rate > 0 ? (left(parts) / rate) * 1_000 : null }
}
