/** Plans a generation with its cost, and starts one: a new one from settings, or one that was stopped. */
import { LoomlogError } from '@loomlog/errors'
import { escapeUnseen } from '@loomlog/errors/invalid-input'
import type { DerivationScope } from '@loomlog/generations/derivation-scope'
import { findGeneration, nameRefusal } from '@loomlog/generations/generation-names'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { readGenerations } from '@loomlog/generations/store'
import type { PlannedChange } from '@loomlog/generations/successor'
import type { Host } from '@loomlog/host/open'
import type { GenerationStatus } from '@loomlog/schemas/events'
import { type Estimate, estimateOf } from './estimate.ts'
import { addGeneration, changeStatus, startGeneration } from './lifecycle.ts'
import { type GenerationRequest, type PlannedRequest, planRequest, refuseWithoutEmbedder } from './request.ts'

export interface PlannedGeneration {
  readonly generation: string
  readonly from: string
  readonly scope: DerivationScope
  readonly stages: readonly (PlannedChange & { readonly reused: boolean })[]
  /** Null: the same as before. */
  readonly viewEmbedder: { readonly before: string; readonly after: string } | null
  readonly chosen: { readonly [key: string]: string }
}

export interface EstimatedPlan extends PlannedGeneration {
  readonly estimate: Estimate
  /** Null: it is new. */
  readonly status: GenerationStatus | null
}

/** Changes nothing, and calls no model. */
export async function planWithCost(request: GenerationRequest, host: Host): Promise<EstimatedPlan> {
  const known = await readGenerations(host.log, host.codec)
  const found = await planRequest(request, host, known)
  const status = known.generations.get(found.successor.plan.id)?.status ?? null
  return { ...planOf(found), estimate: await estimateOf(host, { ...found, known }), status }
}

export interface StartRequest extends GenerationRequest {
  /** An existing one, to start again; null: a new one from the settings. */
  readonly generation: string | null
  readonly name: string | null
  /** The share of the time that it may work beside live work; null: the default. */
  readonly share: number | null
  /**
   * `caller`: the caller derives the generation, and `startAfterDeriving` starts it then. Servers host it only from
   * then on. A generation that runs already is no error.
   */
  readonly derivedBy: 'servers' | 'caller'
}

export interface StartedGeneration {
  readonly generation: string
  /** Null: it existed. */
  readonly plan: PlannedGeneration | null
  /** After the start, as TOPIC/PARTITION@OFFSET; null: the caller derives it first, or it was started before. */
  readonly position: string | null
}

/** @throws LoomlogError `input-invalid`, `generation-refused`, `not-found`, `config-invalid` without an embedder */
export async function startFromRequest(request: StartRequest, host: Host): Promise<StartedGeneration> {
  const { share, generation } = request
  if (share !== null && !(share > 0 && share <= 1)) {
    throw new LoomlogError('input-invalid', `--share is ${share}: expected more than 0 and at most 1`)
  }
  return generation === null ? startNew(request, host) : startAgain(generation, request, host)
}

async function startNew(request: StartRequest, host: Host): Promise<StartedGeneration> {
  const known = await readGenerations(host.log, host.codec)
  const found = await planRequest(request, host, known)
  const { plan, chosen } = found.successor
  if (plan.id === found.base.id) {
    throw new LoomlogError(
      'input-invalid',
      `nothing would change: the settings give ${plan.id}, which exists. Give --set KEY=VALUE`,
    )
  }
  const before = known.generations.get(plan.id)
  refuseName(request.name, before ?? null, known)
  if (isForCaller(before?.status, request)) return { generation: plan.id, plan: null, position: null }
  refuseIfRunning(plan.id, before?.status)
  const naming = { name: request.name, chosen }
  const defined = { generation: plan.id, plan: planOf(found), position: null }
  if (before === undefined && request.derivedBy === 'caller') {
    await addGeneration(host, plan, naming)
    return defined
  }
  const after = await startGeneration(host, { plan, naming, share: request.share, ifStarted: 'refuse' })
  return 'position' in after ? { ...defined, position: after.position } : defined
}

/** A generation gets its name with its definition, and keeps it. */
function refuseName(name: string | null, before: Generation | null, known: Generations): void {
  if (name === null || name === before?.name) return
  const why =
    before === null
      ? nameRefusal(known, name)
      : `the generation exists as ${before.name ?? before.id}, and keeps that name`
  if (why !== null) throw new LoomlogError('input-invalid', `--name is ${escapeUnseen(name)}: ${why}`)
}

async function startAgain(wanted: string, request: StartRequest, host: Host): Promise<StartedGeneration> {
  refuseSettings(request)
  const known = await readGenerations(host.log, host.codec)
  const { id, status, derivations, viewEmbedder } = findGeneration(known, wanted)
  const stages = Object.values(derivations).flatMap((derivation) => known.derivations.get(derivation) ?? [])
  refuseWithoutEmbedder(host, { stages, viewEmbedder })
  const started = { generation: id, plan: null, position: null }
  if (isForCaller(status, request)) return started
  refuseIfRunning(id, status)
  const { position } = await changeStatus(host, id, { previous: status, status: 'running', share: request.share })
  return { ...started, position }
}

/** The log would refuse it too, without this advice. */
function refuseIfRunning(id: string, status: GenerationStatus | undefined): void {
  if (status !== 'running') return
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
  }
  const all = { ...settings, '--sample': sample !== null, '--spaces': spaces.length > 0 }
  const [given] = Object.entries(all).find(([, isGiven]) => isGiven) ?? []
  if (given === undefined) return
  throw new LoomlogError('input-invalid', `${given} is for a new generation: an existing one is started unchanged`)
}

/** The caller derives only these. A retired generation is started first, or gc could remove it meanwhile. */
const forCaller: readonly (GenerationStatus | undefined)[] = ['defined', 'running', 'paused', 'cancelled']

function isForCaller(status: GenerationStatus | undefined, { derivedBy }: StartRequest): boolean {
  return derivedBy === 'caller' && forCaller.includes(status)
}

function planOf({ base, scope, successor }: PlannedRequest): PlannedGeneration {
  const { plan: planned, stages, viewEmbedder, chosen } = successor
  const changes = stages.map((stage) => ({ ...stage, reused: stage.reasons.length === 0 }))
  return { generation: planned.id, from: base.id, scope, stages: changes, viewEmbedder, chosen }
}
