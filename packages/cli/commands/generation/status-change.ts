/** `loomlog generation pause|resume|cancel|promote|rollback`: each appends an event, unless it is refused. */
import type { GenerationOperations } from '@loomlog/app/generations/operations'
import type { PromotionOptions, PromotionResult, StatusAction } from '@loomlog/app/generations/promotion'
import { type Output, print, printJson } from '../../print.ts'

export async function changeStatusOf(
  command: Output & { readonly generation: string; readonly action: StatusAction },
  operations: GenerationOperations,
): Promise<void> {
  const changed = await operations.applyStatusAction(command.generation, command.action)
  if (command.json) printJson(changed)
  else print(`${changed.generation} is ${changed.status}`)
}

export async function promote(
  command: Output & PromotionOptions & { readonly generation: string },
  operations: GenerationOperations,
): Promise<void> {
  printLive(await operations.promote(command.generation, command), command)
}

/** Makes the previously live generation live again. */
export async function rollback(command: Output & PromotionOptions, operations: GenerationOperations): Promise<void> {
  printLive(await operations.rollBack(command), command)
}

function printLive(live: PromotionResult, { json }: Output): void {
  const { generation, tenant, previous } = live
  if (json) {
    printJson(live)
    return
  }
  const whom = tenant === null ? 'everyone' : `tenant ${tenant}`
  print(`${generation} is live for ${whom}${previous === null ? '' : `, after ${previous}`}`)
}
