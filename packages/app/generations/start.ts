/** Starts a generation by request: a new one from its settings, or an existing one again. The running pipeline derives it. */
import { LoomlogError } from '@loomlog/errors'
import { generationBy, nameRefused } from '@loomlog/generations/generation-names'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import type { GenerationStatus } from '@loomlog/schemas/events'
import { changeStatus, startGeneration } from './lifecycle.ts'
import { type GenerationRequest, type PlannedRequest, planRequest } from './request.ts'

export interface StartRequest extends GenerationRequest {
  /** An existing one, to start again; null: a new one from the settings. */
  readonly generation: string | null
  readonly name: string | null
  /** The share of the time that it may work beside live work; null: the default. */
  readonly share: number | null
  /** A caller that waits for a generation may find it running already. */
  readonly ifRunning: 'refuse' | 'keep'
  /** Called before a new generation is started. */
  onPlan(plan: PlannedRequest): void
}

/** Returns the id. @throws LoomlogError `input-invalid`, `generation-refused`, `not-found` */
export async function startByRequest(request: StartRequest, host: Host): Promise<string> {
  const { share } = request
  if (share !== null && !(share > 0 && share <= 1)) {
    throw new LoomlogError('input-invalid', `--share is ${share}: expected more than 0 and at most 1`)
  }
  const known = await readGenerations(host.log, host.codec)
  return request.generation === null
    ? startNew(request, host, known)
    : startAgain(generationBy(known, request.generation), request, host)
}

async function startNew(request: StartRequest, host: Host, known: Generations): Promise<string> {
  const planned = await planRequest(request, host, known)
  const { plan, chosen } = planned.successor
  if (plan.id === planned.base.id) {
    throw new LoomlogError(
      'input-invalid',
      `nothing would change: the settings give ${plan.id}, which exists. Give --set KEY=VALUE`,
    )
  }
  const before = known.generations.get(plan.id) ?? null
  refuseName(request.name, before, known)
  if (isRunning(plan.id, before?.status ?? null, request)) return plan.id
  request.onPlan(planned)
  await startGeneration(host, {
    plan,
    naming: { name: request.name, chosen },
    share: request.share,
    ifStarted: 'refuse',
  })
  return plan.id
}

/** A name is given once, with the definition. */
function refuseName(name: string | null, before: Generation | null, known: Generations): void {
  if (name === null || name === before?.name) return
  const why =
    before === null
      ? nameRefused(known, name)
      : `the generation exists as ${before.name ?? before.id}, and keeps that name`
  if (why !== null) throw new LoomlogError('input-invalid', `--name is ${name}: ${why}`)
}

async function startAgain({ id, status }: Generation, request: StartRequest, host: Host): Promise<string> {
  refuseSettings(request)
  if (isRunning(id, status, request)) return id
  await changeStatus(host, id, { previous: status, status: 'running', share: request.share })
  return id
}

/** Refuses a running generation here, before the log would. */
function isRunning(id: string, status: GenerationStatus | null, { ifRunning }: StartRequest): boolean {
  if (status !== 'running' || ifRunning === 'keep') return status === 'running'
  const how = `loomlog generation show ${id} shows its progress, and --wait waits for it`
  throw new LoomlogError('generation-refused', `${id} is already started: ${how}`)
}

/** An existing generation is started unchanged. */
function refuseSettings({ set, from, tenant, sample, spaces, name }: StartRequest): void {
  const settings = {
    '--set': set.length > 0,
    '--from': from !== null,
    '--tenant': tenant !== null,
    '--name': name !== null,
    '--sample': sample !== null,
    '--spaces': spaces.length > 0,
  }
  const [setting] = Object.entries(settings).find(([, isSet]) => isSet) ?? []
  if (setting === undefined) return
  throw new LoomlogError('input-invalid', `${setting} is for a new generation: an existing one is started unchanged`)
}
