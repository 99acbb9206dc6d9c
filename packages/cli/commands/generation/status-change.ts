/** `loomlog generation pause|resume|cancel|promote|rollback`: each appends an event to the log, or is refused before. */

import { moveStatus, type StatusMove } from '@loomlog/app/generations/lifecycle'
import { type Promotion, promote as promoteGeneration, rollBack } from '@loomlog/app/generations/promotion'
import type { Host } from '@loomlog/host/open'
import { type Output, print, printJson } from '../../print.ts'

export async function changeStatusOf(
  command: Output & { readonly generation: string; readonly move: StatusMove },
  host: Host,
): Promise<void> {
  const changed = await moveStatus(host, command.generation, command.move)
  if (command.json) printJson(changed)
  else print(`${changed.generation} is ${changed.status}`)
}

interface ForTenant extends Output {
  /** Null: everyone. */
  readonly tenant: string | null
}

export async function promote(command: ForTenant & { readonly generation: string }, host: Host): Promise<void> {
  report(command, await promoteGeneration(host, command.generation, command.tenant))
}

/** Makes the previously live generation live again. */
export async function rollback(
  command: ForTenant & { readonly ifBehind: 'refuse' | 'roll back' },
  host: Host,
): Promise<void> {
  report(command, await rollBack(host, command))
}

function report({ json }: Output, promotion: Promotion): void {
  const { generation, tenant, previous } = promotion
  const whom = tenant === null ? 'everyone' : `tenant ${tenant}`
  if (json) printJson(promotion)
  else print(`${generation} is live for ${whom}${previous === null ? '' : `, after ${previous}`}`)
}
