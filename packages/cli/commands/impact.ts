/** `loomlog impact ID`: every memory derived from an utterance, box, fact or entry, stage by stage, with the cost. */
import type { PricedImpact } from '@loomlog/recall/answer-costs'
import type { Effect } from '@loomlog/recall/impact'
import { costText } from '../answer-costs.ts'
import { cell, count, faint, type Output, print, printJson, table } from '../print.ts'

export function printImpact(impact: PricedImpact, { json }: Output): void {
  if (json) {
    printJson(impact)
    return
  }
  const { counts, effects, leftOut, cost, rebuilding = [] } = impact
  for (const { topic, partition, reached, end } of rebuilding) {
    const progress = `${count(reached)} of ${count(end)} records`
    print(`the view of ${topic}/${partition} is being rebuilt (${progress}): memories may be missing`)
  }
  if (counts.length === 0) {
    print('no memory is derived from it yet')
    return
  }
  const rows = counts.map(({ kind, evidence, context }) => [kind, count(evidence), count(context)])
  print(table([['', 'as evidence', 'as context'], ...rows]))
  for (const effect of effects) printEffect(effect)
  if (leftOut > 0) print(`${count(leftOut)} more: --limit raises the number shown`)
  if (cost.asks > 0) print(`total: ${costText(cost)}`)
}

function printEffect({ id, kind, text, by, from, derivation, method, holds, record }: Effect): void {
  const { topic, partition, offset } = record
  const how = `${by === 'evidence' ? 'cites' : 'derived with'} ${cell(from)}; by ${method}, derivation ${derivation}`
  const over = holds === 'now' ? '' : '; no longer holds'
  print(`${kind} ${cell(id)} ${faint(`(${how}${over}; ${topic}/${partition}@${offset})`)}`)
  print(`  ${cell(text)}`)
}
