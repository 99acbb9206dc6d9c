/** `loomlog retract`: undo by cause. First what it would take with it, and with `--dry-run` nothing but that. */

import { withReading } from '@loomlog/app/generations/live'
import { type Causes, planUndo, type Undoing } from '@loomlog/corrections/undo'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import type { Place } from '@loomlog/intake/utterance'
import { count, faint, type Output, print, printable, printJson } from '../print.ts'
import { type Asker, apply, askerFrom } from './correct.ts'

export interface RetractCommand extends Output {
  readonly causes: Omit<Causes, 'from' | 'to'> & { readonly from?: string; readonly to?: string }
  readonly asker: Asker
  readonly place: Place
  readonly until: 'applied' | 'append' | 'dry-run'
}

/** Examples shown of each kind. */
const shown = 5

export async function retract(command: RetractCommand, host: Host, signal: AbortSignal): Promise<void> {
  const { from, to, ...rest } = command.causes
  const causes: Causes = {
    ...rest,
    ...(from !== undefined && { from: timeOf('--from', from) }),
    ...(to !== undefined && { to: timeOf('--to', to) }),
  }
  const { log, codec } = host
  const asker = askerFrom(command.asker, command.place)
  const undoing = await withReading(host, command.place.tenant, ({ views }) =>
    planUndo(causes, asker, { log, codec, views }),
  )
  const dryRun = command.until === 'dry-run'
  if (!command.json) show(undoing)
  const appended = dryRun
    ? { appended: 0, known: 0 }
    : await appendOnce(undoing.events, { log, codec, dir: host.config.dir, signal })
  const outcomes = command.until === 'applied' ? await apply(undoing.events, host, signal) : []
  if (command.json) return printJson({ dryRun, ...undoing, ...appended, outcomes })
  if (dryRun) print('nothing is changed: this was a dry run')
  else print(`undone, in ${count(undoing.events.length)} conversations; the log keeps what was said`)
}

function show({ utterances, downstream }: Undoing): void {
  const all = { utterances, ...downstream }
  for (const [kind, memories] of Object.entries(all)) {
    print(`${count(memories.length)} ${kind}`)
    for (const { id, text } of memories.slice(0, shown)) print(`  ${printable(text).split('\n')[0]}  ${faint(id)}`)
    if (memories.length > shown) print(faint(`  and ${count(memories.length - shown)} more`))
  }
}

function timeOf(option: string, text: string): number {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)
  const ms = isDay || isTime ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(ms)) return ms
  throw new LoomlogError(
    'input-invalid',
    `${option} is ${text}: expected a day, or a time with a zone: 2026-03-02T09:00:00Z`,
  )
}
