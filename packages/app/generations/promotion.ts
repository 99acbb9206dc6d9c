/** Pauses, resumes, cancels, promotes and rolls back generations. Each appends an event, unless it is refused. */
import { LoomlogError } from '@loomlog/errors'
import { changeRefusal } from '@loomlog/generations/fold'
import { findGeneration } from '@loomlog/generations/generation-names'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { liveGeneration, previousLiveGeneration } from '@loomlog/generations/pointers'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { GenerationReader } from '@loomlog/host/generation-reader'
import type { Host } from '@loomlog/host/open'
import type { GenerationPromoted, GenerationStatus } from '@loomlog/schemas/events'
import { checkTenant } from '../spaces.ts'
import { changeStatus, promoteGeneration } from './lifecycle.ts'
import { refuseLoss, refuseUnlessCaughtUp } from './promotion-checks.ts'

const statusOf = { pause: 'paused', resume: 'running', cancel: 'cancelled' } as const

export type StatusAction = keyof typeof statusOf

export interface ChangedGeneration {
  readonly generation: string
  readonly status: GenerationStatus
  /** After the change, as TOPIC/PARTITION@OFFSET. */
  readonly position: string
}

/** @throws LoomlogError `generation-refused`, `not-found` */
export async function applyStatusAction(wanted: string, action: StatusAction, host: Host): Promise<ChangedGeneration> {
  const { id, status: previous } = findGeneration(await readGenerations(host.log, host.codec), wanted)
  const status = statusOf[action]
  if (action === 'resume' && previous !== 'paused' && previous !== 'running') {
    throw new LoomlogError(
      'generation-refused',
      `${id} is ${previous}, not paused: loomlog generation start ${id} starts it`,
    )
  }
  const { position } = await changeStatus(host, id, { previous, status, share: null })
  return { generation: id, status, position }
}

export interface PromotionResult {
  readonly generation: string
  /** Null: everyone. */
  readonly tenant: string | null
  readonly previous: string | null
  readonly epoch: number
  readonly cause: 'promoted' | 'rolledBack'
  /** After the change, as TOPIC/PARTITION@OFFSET. */
  readonly position: string
}

/** `skip`: the generation becomes live even if it is behind, or has much less than the live one. */
type PromotionChecks = 'apply' | 'skip'

export interface PromotionOptions {
  /** Null: everyone. */
  readonly tenant: string | null
  readonly checks: PromotionChecks
}

/** @throws LoomlogError `not-caught-up`, `generation-refused`, `not-found` also for a tenant without utterances */
export async function promote(wanted: string, options: PromotionOptions, host: Host): Promise<PromotionResult> {
  const known = await readGenerations(host.log, host.codec)
  const { id } = findGeneration(known, wanted)
  return promoteTo({ ...options, generation: id, cause: 'promoted' }, host, known)
}

/** Makes the previously live generation live again. @throws LoomlogError `not-caught-up`, `generation-refused` */
export async function rollBack({ tenant, checks }: PromotionOptions, host: Host): Promise<PromotionResult> {
  const known = await readGenerations(host.log, host.codec)
  const generation = previousLiveGeneration(known, tenant)
  const whom = tenant === null ? 'everyone' : `tenant ${tenant}`
  if (generation === null)
    throw new LoomlogError('generation-refused', `no other generation was live for ${whom} before`)
  return promoteTo({ generation, tenant, cause: 'rolledBack', checks }, host, known)
}

interface PointerChange extends Pick<PromotionResult, 'generation' | 'tenant' | 'cause'> {
  readonly checks: PromotionChecks
}

async function promoteTo(to: PointerChange, host: Host, known: Generations): Promise<PromotionResult> {
  const { generation: id, tenant, cause } = to
  const previous = liveGeneration(known, tenant)?.generation ?? null
  const event: GenerationPromoted = {
    type: 'GenerationPromoted',
    generation: id,
    tenant,
    cause,
    previous,
    at: Date.now(),
  }
  const refused = changeRefusal(known, event)
  if (refused !== null) throw new LoomlogError('generation-refused', refused)
  if (cause === 'promoted' && tenant !== null) await checkTenant(tenant, host)
  const generation = known.generations.get(id)
  if (generation && to.checks === 'apply') await check(to, { host, known, generation })
  const after = await promoteGeneration(host, { generation: id, tenant, cause })
  const { epoch } = liveGeneration(after, tenant) ?? { epoch: after.epoch }
  return { generation: id, tenant, previous, epoch, cause, position: after.position }
}

async function check(
  { tenant, cause }: PointerChange,
  { host, known, generation }: { readonly host: Host; readonly known: Generations; readonly generation: Generation },
): Promise<void> {
  const generationReader = new GenerationReader(host, { current: known })
  const of = { host, known, serving: servingGeneration(generation, host.topics), generationReader }
  try {
    await refuseUnlessCaughtUp(of, { tenant, cause })
    if (cause === 'promoted') await refuseLoss(of, tenant)
  } finally {
    await generationReader.close()
  }
}
