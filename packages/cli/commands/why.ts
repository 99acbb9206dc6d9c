/**
 * `loomlog why ID`: the sources of a memory, down to the utterances with their offsets, and its cost: prompts, models,
 * tokens and, where they are priced, money.
 */
import type { Cost, PricedLineage } from '@loomlog/recall/answer-costs'
import type { Lineage } from '@loomlog/recall/why'
import { costText, usedAnswerLines } from '../answer-costs.ts'
import { cell, faint, type Output, print, printJson } from '../print.ts'

export function printWhy(lineage: PricedLineage & { readonly cost: Cost }, { json }: Output): void {
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
