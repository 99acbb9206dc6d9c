/** `loomlog retract`: undo by cause. It prints the affected memories first; with `--dry-run` it stops there. */

import type { Retraction, RetractionReply } from '@loomlog/client/api'
import type { MemorySpace, WithUndefined } from '@loomlog/client/memory'
import { timeFrom } from '@loomlog/recall/parameters'
import { cell, count, faint, print, printJson, printNotice } from '../print.ts'
import type { Application, AuthorOptions } from './correct.ts'

export interface RetractOptions extends AuthorOptions {
  readonly utterance?: readonly string[]
  readonly speaker?: string
  readonly conversation?: string
  readonly principal?: string
  readonly derivation?: string
  readonly from?: string
  readonly to?: string
  readonly dryRun?: true
}

/** Examples shown of each kind. */
const shown = 5

export async function retract(options: RetractOptions, space: MemorySpace, apply: Application): Promise<void> {
  const retracted = await space.retract(retractionFrom(options))
  // As a recall that names an unknown speaker.
  if (retracted.unknown.length > 0) process.exitCode = 2
  if (!options.json) printPlan(retracted)
  const outcomes = retracted.dryRun ? [] : await apply(retracted.ids)
  if (options.json) return printJson({ ...retracted, outcomes })
  if (retracted.dryRun) print('dry run: nothing is changed')
  else
    print(
      `undone in ${count(retracted.ids.length)} conversations; the utterances stay in the log (loomlog forget destroys them)`,
    )
}

/** @throws LoomlogError `input-invalid`, with the option */
function retractionFrom(options: RetractOptions): WithUndefined<Retraction> {
  const { utterance: utterances, speaker, conversation, principal, derivation, from, to } = options
  const { by, role, reason = null, dryRun = false } = options
  const causes = Object.entries({ utterances, speaker, conversation, principal, derivation, from, to })
  if (from !== undefined) timeFrom('--from', from)
  if (to !== undefined) timeFrom('--to', to)
  return { ...Object.fromEntries(causes.filter(([, cause]) => cause !== undefined)), by, role, reason, dryRun }
}

function printPlan({ utterances, downstream, unknown }: RetractionReply): void {
  if (unknown.length > 0) printNotice(`no such utterance, or retracted before: ${unknown.map(cell).join(', ')}`)
  const all = { utterances, ...downstream }
  for (const [kind, memories] of Object.entries(all)) {
    print(`${count(memories.length)} ${kind}`)
    for (const { id, text } of memories.slice(0, shown)) print(`  ${cell(text)}  ${faint(cell(id))}`)
    if (memories.length > shown) print(faint(`  and ${count(memories.length - shown)} more`))
  }
}
