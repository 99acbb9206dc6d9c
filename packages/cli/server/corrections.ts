/** `loomlog correct --url` and `loomlog retract --url`: the server's pipeline applies them. */
import { type LoomlogClient, path } from '@loomlog/client/loomlog-client'
import type { UndoPlan } from '@loomlog/corrections/undo'
import { type CorrectCommand, requestFrom } from '../commands/correct.ts'
import { printUndoPlan, type RetractCommand } from '../commands/retract.ts'
import { count, type Output, print, printJson } from '../print.ts'

interface AppendReply {
  readonly ids: readonly string[]
  readonly appended: number
  readonly known: number
  readonly position: string
}

export async function correctOnServer(server: LoomlogClient, command: CorrectCommand): Promise<void> {
  const { place, at: _, ...request } = requestFrom(command)
  const dated = 'from' in request ? { from: new Date(request.from).toISOString() } : {}
  const body = Object.fromEntries(Object.entries({ ...request, ...dated }).filter(([, value]) => value !== null))
  printAppended(await server.post<AppendReply>(path`/v1/spaces/${place.space}/corrections`, body), command)
}

export async function retractOnServer(server: LoomlogClient, command: RetractCommand): Promise<void> {
  const { place, causes, author, until } = command
  const dryRun = until === 'dry-run'
  const { by, role, reason = null } = author
  const target = path`/v1/spaces/${place.space}/retractions`
  const body = { ...causes, by, role, reason, dryRun }
  if (!dryRun) return printAppended(await server.post<AppendReply>(target, body), command)
  const undoing = await server.post<Pick<UndoPlan, 'utterances' | 'downstream'>>(target, body)
  if (command.json) return printJson(undoing)
  printUndoPlan(undoing)
  print('dry run: nothing is changed')
}

function printAppended(reply: AppendReply, { json }: Output): void {
  if (json) {
    printJson(reply)
    return
  }
  print(`${count(reply.ids.length)} events: ${count(reply.appended)} appended, ${count(reply.known)} in the log before`)
}
