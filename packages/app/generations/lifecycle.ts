/** Changes of a generation's status: start, pause, resume, cancel. Each is an event in the log. */
import { LoomlogError } from '@loomlog/errors'
import { generationBy } from '@loomlog/generations/generation-names'
import type { Generations } from '@loomlog/generations/generations'
import type { GenerationPlan } from '@loomlog/generations/plan'
import { changeGenerations, defineGeneration, type Naming, readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { createDerivedTopics } from '@loomlog/host/stage'
import type { GenerationStatus } from '@loomlog/schemas/events'

export interface StartOptions {
  readonly plan: GenerationPlan
  readonly naming: Naming
  /** The share of the time that it may work beside live work; null: the default. */
  readonly share: number | null
  /** For a generation that exists already. */
  readonly ifStarted: 'refuse' | 'keep'
}

/** Defines the generation if it is new, and starts it. @throws LoomlogError `generation-refused` where it is started already */
export async function startGeneration(
  host: Host,
  { plan, naming, share, ifStarted }: StartOptions,
): Promise<Generations> {
  const before = await readGenerations(host.log, host.codec)
  const status = before.generations.get(plan.id)?.status ?? 'defined'
  if (ifStarted === 'keep' && status !== 'defined') return before
  await createDerivedTopics(host, plan)
  await defineGeneration(host.log, host.codec, plan, naming)
  try {
    return await changeStatus(host, plan.id, { previous: status, status: 'running', share })
  } catch (error) {
    const now = await readGenerations(host.log, host.codec)
    if (ifStarted === 'keep' && now.generations.get(plan.id)?.status === 'running') return now
    throw error
  }
}

/** @throws LoomlogError `generation-refused` */
export function changeStatus(
  { log, codec }: Host,
  generation: string,
  change: { readonly previous: GenerationStatus; readonly status: GenerationStatus; readonly share: number | null },
): Promise<Generations> {
  return changeGenerations(log, codec, { type: 'GenerationStatusChanged', generation, ...change, at: Date.now() })
}

const statusAfter = { pause: 'paused', resume: 'running', cancel: 'cancelled' } as const

export type StatusMove = keyof typeof statusAfter

/** @param wanted an id or a name @throws LoomlogError `not-found`, `generation-refused` */
export async function moveStatus(host: Host, wanted: string, move: StatusMove) {
  const { id, status: previous } = generationBy(await readGenerations(host.log, host.codec), wanted)
  const status = statusAfter[move]
  if (move === 'resume' && previous !== 'paused' && previous !== 'running') {
    throw new LoomlogError(
      'generation-refused',
      `${id} is ${previous}, not paused: loomlog generation start ${id} starts it`,
    )
  }
  await changeStatus(host, id, { previous, status, share: null })
  return { generation: id, status }
}
