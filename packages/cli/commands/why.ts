/**
 * `loomlog why ID`: the sources of a memory, down to the utterances with their offsets, and its cost: prompts, models, tokens and, where they
 * are priced, money.
 */

import { withReading } from '@loomlog/app/generations/live'
import { usedAnswers } from '@loomlog/app/used-answers'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { type Cost, type PricedLineage, whyWithCost } from '@loomlog/recall/answer-costs'
import type { Lineage } from '@loomlog/recall/why'
import { spaceKey } from '@loomlog/schemas/ids'
import { costText, usedAnswerLines } from '../answer-costs.ts'
import { cell, faint, type Output, print, printJson } from '../print.ts'

export interface WhyCommand extends Output {
  readonly id: string
  readonly place: SpaceAddress
}

type PricedReading = PricedLineage & { readonly cost: Cost; readonly generation: string | null; readonly epoch: number }

export async function whyIn({ id, place }: WhyCommand, host: Host): Promise<PricedReading> {
  const known = await readGenerations(host.log, host.codec)
  const answersOf = usedAnswers(host, () => known)
  return withReading(host, place.tenant, async ({ generation, epoch, views }) => {
    const lineage = await whyWithCost(id, spaceKey(place.tenant, place.space), { ...host, views, answersOf })
    return { ...lineage, generation, epoch }
  })
}

export function printWhy(lineage: PricedReading, { json }: Output): void {
  if (json) {
    printJson(lineage)
    return
  }
  printLineage(lineage)
  if (lineage.cost.asks > 0) print(`total: ${costText(lineage.cost)}`)
}

/** Prints the lineage as a tree; a memory that occurs twice is only named the second time. */
export function printLineage(lineage: Lineage | PricedLineage, indent = '', shown = new Set<string>()): void {
  const { topic, partition, offset } = lineage.record
  const made = lineage.derivation === null ? 'appended' : `by ${lineage.method}, derivation ${lineage.derivation}`
  print(`${indent}${lineage.kind} ${cell(lineage.id)} ${faint(`(${made}; ${topic}/${partition}@${offset})`)}`)
  if (shown.has(lineage.id)) return
  shown.add(lineage.id)
  print(`${indent}  ${cell(lineage.text)}`)
  if ('asked' in lineage) for (const line of usedAnswerLines(lineage.asked)) print(`${indent}  ${line}`)
  for (const cause of lineage.causes) printLineage(cause, `${indent}    `, shown)
}
