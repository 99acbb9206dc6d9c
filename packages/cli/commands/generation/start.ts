/**
 * `loomlog generation start`: starts a generation beside the live one. The running pipeline (`loomlog up`, services, an ingest) derives it; with
 * `--wait`, this command derives it, and returns when it has caught up.
 */

import { changeStatus, startGeneration } from '@loomlog/app/generations/lifecycle'
import { type GenerationRequest, planRequest } from '@loomlog/app/generations/request'
import { LoomlogError } from '@loomlog/errors'
import { generationBy, nameRefused } from '@loomlog/generations/generation-names'
import type { Generation, Generations } from '@loomlog/generations/generations'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import type { GenerationStatus } from '@loomlog/schemas/events'
import { type Output, print, printJson, say } from '../../print.ts'
import { deriveWithProgress } from '../../progress-line.ts'
import { planOf, printPlan } from './plan.ts'

export interface StartCommand extends GenerationRequest, Output {
  /** An existing one, to start again; null: a new one from the settings. */
  readonly generation: string | null
  readonly name: string | null
  /** The share of the time that it may work beside live work; null: the default. */
  readonly share: number | null
  readonly until: 'started' | 'caught up'
}

export async function start(command: StartCommand, host: Host, signal: AbortSignal): Promise<void> {
  const { share } = command
  if (share !== null && !(share > 0 && share <= 1)) {
    throw new LoomlogError('input-invalid', `--share is ${share}: expected more than 0 and at most 1`)
  }
  const id =
    command.generation === null ? await startNew(command, host) : await startAgain(command.generation, command, host)
  if (command.until === 'caught up') await deriveWithProgress(host, { signal, generation: id })
  if (signal.aborted) say('stopped: derived records stay, and the generation resumes from there')
  else if (command.json) printJson({ generation: id, status: 'running', caughtUp: command.until === 'caught up' })
  else
    print(
      command.until === 'caught up' ? `${id} has caught up` : `${id} is started: loomlog up or the services derive it`,
    )
}

async function startNew(command: StartCommand, host: Host): Promise<string> {
  const known = await readGenerations(host.log, host.codec)
  const found = await planRequest(command, host, known)
  const { plan, chosen } = found.successor
  if (plan.id === found.base.id) {
    throw new LoomlogError(
      'input-invalid',
      `nothing would change: the settings give ${plan.id}, which exists. Give --set KEY=VALUE`,
    )
  }
  const before = known.generations.get(plan.id)
  refuseName(command.name, before ?? null, known)
  if (isWaitedFor(before?.status, command)) return plan.id
  refuseIfRunning(plan.id, before?.status)
  if (!command.json) printPlan(found)
  await startGeneration(host, {
    plan,
    naming: { name: command.name, chosen },
    share: command.share,
    ifStarted: 'refuse',
  })
  return planOf(found).generation
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

async function startAgain(wanted: string, command: StartCommand, host: Host): Promise<string> {
  const { share } = command
  refuseSettings(command)
  const { id, status } = generationBy(await readGenerations(host.log, host.codec), wanted)
  if (isWaitedFor(status, command)) return id
  refuseIfRunning(id, status)
  await changeStatus(host, id, { previous: status, status: 'running', share })
  return id
}

/** Refused here, before the log would refuse it. */
function refuseIfRunning(id: string, status: GenerationStatus | undefined): void {
  if (status !== 'running') return
  const how = `loomlog generation show ${id} shows its progress, and --wait waits for it`
  throw new LoomlogError('generation-refused', `${id} is already started: ${how}`)
}

/** An existing generation is started unchanged. */
function refuseSettings({ set, from, tenant, sample, spaces, name }: StartCommand): void {
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

/** With --wait, a running generation is awaited, not started a second time. */
function isWaitedFor(status: GenerationStatus | undefined, { until }: Pick<StartCommand, 'until'>): boolean {
  return status === 'running' && until === 'caught up'
}
