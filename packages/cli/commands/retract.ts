/** `loomlog retract`: undo by cause. It prints the affected memories first; with `--dry-run` it stops there. */

import type { Memory, RetractedMemories } from '@loomlog/client/memory'
import type { Retraction } from '@loomlog/corrections/retraction'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { timeFrom } from '@loomlog/recall/parameters'
import { cell, count, faint, type Output, print, printJson } from '../print.ts'
import type { Application } from './correct.ts'

export interface RetractCommand extends Output {
  readonly retraction: Retraction
  readonly place: SpaceAddress
}

/** Examples shown of each kind. */
const shown = 5

export async function retract(
  { retraction, place, json }: RetractCommand,
  memory: Memory,
  apply: Application,
): Promise<void> {
  for (const name of ['from', 'to'] as const) checkTime(`--${name}`, retraction[name])
  const retracted = await memory.space(place.space).retract(retraction)
  if (!json) printPlan(retracted)
  const outcomes = retracted.dryRun ? [] : await apply(retracted.ids)
  if (json) return printJson({ ...retracted, outcomes })
  if (retracted.dryRun) print('dry run: nothing is changed')
  else print(`undone in ${count(retracted.ids.length)} conversations; the utterances stay in the log`)
}

/** @throws LoomlogError `input-invalid`, with the option */
function checkTime(option: string, given: string | undefined): void {
  if (given !== undefined) timeFrom(option, given)
}

function printPlan({ utterances, downstream }: RetractedMemories): void {
  const all = { utterances, ...downstream }
  for (const [kind, memories] of Object.entries(all)) {
    print(`${count(memories.length)} ${kind}`)
    for (const { id, text } of memories.slice(0, shown)) print(`  ${cell(text)}  ${faint(cell(id))}`)
    if (memories.length > shown) print(faint(`  and ${count(memories.length - shown)} more`))
  }
}
