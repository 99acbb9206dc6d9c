/** `loomlog retract`: undo by cause. It prints the affected memories first; with `--dry-run` it stops there. */

import { withReading } from '@loomlog/app/generations/live'
import { planUndo, type UndoCauses, type UndoPlan } from '@loomlog/corrections/undo'
import type { Host } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { timeFrom } from '@loomlog/recall/parameters'
import { cell, count, faint, type Output, print, printJson } from '../print.ts'
import { type Author, apply, authorFrom } from './correct.ts'

export interface RetractCommand extends Output {
  readonly causes: Omit<UndoCauses, 'from' | 'to'> & { readonly from?: string; readonly to?: string }
  readonly author: Author
  readonly place: SpaceAddress
  readonly until: 'applied' | 'append' | 'dry-run'
}

/** Examples shown of each kind. */
const shown = 5

export async function retract(command: RetractCommand, host: Host, signal: AbortSignal): Promise<void> {
  const { from, to, ...rest } = command.causes
  const causes: UndoCauses = {
    ...rest,
    ...(from !== undefined && { from: timeFrom('--from', from) }),
    ...(to !== undefined && { to: timeFrom('--to', to) }),
  }
  const { log, codec } = host
  const author = authorFrom(command.author, command.place)
  const undoing = await withReading(host, command.place.tenant, ({ views }) =>
    planUndo(causes, author, { log, codec, views }),
  )
  const dryRun = command.until === 'dry-run'
  if (!command.json) printUndoPlan(undoing)
  const appended = dryRun
    ? { appended: 0, known: 0 }
    : await appendOnce(undoing.events, { log, codec, dir: host.config.dir, signal })
  const outcomes = command.until === 'applied' ? await apply(undoing.events, host, signal) : []
  if (command.json) return printJson({ dryRun, ...undoing, ...appended, outcomes })
  if (dryRun) print('dry run: nothing is changed')
  else print(`undone in ${count(undoing.events.length)} conversations; the utterances stay in the log`)
}

export function printUndoPlan({ utterances, downstream }: Pick<UndoPlan, 'utterances' | 'downstream'>): void {
  const all = { utterances, ...downstream }
  for (const [kind, memories] of Object.entries(all)) {
    print(`${count(memories.length)} ${kind}`)
    for (const { id, text } of memories.slice(0, shown)) print(`  ${cell(text)}  ${faint(cell(id))}`)
    if (memories.length > shown) print(faint(`  and ${count(memories.length - shown)} more`))
  }
}
