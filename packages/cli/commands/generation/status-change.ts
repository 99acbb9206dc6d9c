/** `loomlog generation pause|resume|cancel|promote|rollback`: each appends an event, or is refused before. */

import { changeStatus, promoteGeneration, refuseUnlessCaughtUp } from '@loomlog/app/generations/lifecycle'
import { checkTenant } from '@loomlog/app/spaces'
import { LoomlogError } from '@loomlog/errors'
import { refusal } from '@loomlog/generations/fold'
import { generationBy } from '@loomlog/generations/generation-names'
import type { Generations } from '@loomlog/generations/generations'
import { answeredBefore, answering } from '@loomlog/generations/pointers'
import { servingFrom } from '@loomlog/generations/serving'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { Readings } from '@loomlog/host/readings'
import type { GenerationPromoted } from '@loomlog/schemas/events'
import { type Output, print, printJson } from '../../print.ts'

const statusOf = { pause: 'paused', resume: 'running', cancel: 'cancelled' } as const

export type StatusCommand = keyof typeof statusOf

export async function changeStatusOf(
  command: Output & { readonly generation: string; readonly move: StatusCommand },
  host: Host,
): Promise<void> {
  const { id, status: previous } = generationBy(await readGenerations(host.log, host.codec), command.generation)
  const status = statusOf[command.move]
  if (command.move === 'resume' && previous !== 'paused' && previous !== 'running') {
    throw new LoomlogError(
      'generation-refused',
      `${id} is ${previous}, not paused: loomlog generation start ${id} starts it`,
    )
  }
  await changeStatus(host, id, { previous, status, share: null })
  if (command.json) printJson({ generation: id, status })
  else print(`${id} is ${status}`)
}

export interface PromoteCommand extends Output {
  readonly generation: string
  /** Null: everyone. */
  readonly tenant: string | null
}

/** @throws LoomlogError `not-caught-up`, `generation-refused`, `not-found` for a tenant who said nothing */
export async function promote(command: PromoteCommand, host: Host): Promise<void> {
  const known = await readGenerations(host.log, host.codec)
  const { id } = generationBy(known, command.generation)
  await pointTo({ ...command, generation: id, cause: 'promoted', ifBehind: 'refuse' }, host, known)
}

/** Makes the previously live generation live again. */
export async function rollback(
  command: Output & { readonly tenant: string | null; readonly ifBehind: 'refuse' | 'roll back' },
  host: Host,
): Promise<void> {
  const known = await readGenerations(host.log, host.codec)
  const generation = answeredBefore(known, command.tenant)
  const whom = command.tenant === null ? 'everyone' : `tenant ${command.tenant}`
  if (generation === null)
    throw new LoomlogError('generation-refused', `no other generation was live for ${whom} before`)
  await pointTo({ ...command, generation, cause: 'rolledBack' }, host, known)
}

interface Pointing extends PromoteCommand {
  readonly cause: 'promoted' | 'rolledBack'
  readonly ifBehind: 'refuse' | 'roll back'
}

async function pointTo(to: Pointing, host: Host, known: Generations): Promise<void> {
  const { generation: id, tenant, cause } = to
  const previous = answering(known, tenant)?.generation ?? null
  const event: GenerationPromoted = {
    type: 'GenerationPromoted',
    generation: id,
    tenant,
    cause,
    previous,
    at: Date.now(),
  }
  const refused = refusal(known, event)
  if (refused !== null) throw new LoomlogError('generation-refused', refused)
  if (cause === 'promoted' && tenant !== null) await checkTenant(tenant, host)
  const generation = known.generations.get(id)
  if (generation && to.ifBehind === 'refuse') {
    const readings = new Readings(host, { current: known })
    const of = { host, known, serving: servingFrom(generation, host.topics), readings }
    await refuseUnlessCaughtUp(of).finally(() => readings.close())
  }
  const after = await promoteGeneration(host, { generation: id, tenant, cause })
  const { epoch } = answering(after, tenant) ?? { epoch: after.epoch }
  if (to.json) printJson({ generation: id, tenant, previous, epoch, cause })
  else
    print(
      `${id} is live for ${tenant === null ? 'everyone' : `tenant ${tenant}`}${previous === null ? '' : `, after ${previous}`}`,
    )
}
