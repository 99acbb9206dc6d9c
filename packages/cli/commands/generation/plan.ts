/**
 * `loomlog generation plan`: the stages that would be derived again, those that would be reused, and the cost. Changes
 * nothing, calls no model.
 */

import type { EstimatedPlan, PlannedGeneration } from '@loomlog/app/generations/definition'
import type { Estimate } from '@loomlog/app/generations/estimate'
import type { GenerationOperations } from '@loomlog/app/generations/operations'
import type { GenerationRequest } from '@loomlog/app/generations/request'
import { formatScope } from '@loomlog/generations/derivation-scope'
import { count, type Output, print, printJson, table } from '../../print.ts'

export async function plan(request: GenerationRequest & Output, operations: GenerationOperations): Promise<void> {
  const found: EstimatedPlan = await operations.plan(request)
  if (request.json) return printJson(found)
  printPlan(found)
  printEstimate(found.estimate)
  if (found.status !== null) print(`this generation exists, with status ${found.status}`)
}

function printEstimate({ stages, utterances, sampled, seconds }: Estimate): void {
  if (stages.length === 0) return
  const rows = stages.map((each) => [
    each.stage,
    count(each.recorded),
    count(each.toPay),
    count(each.inputTokens),
    count(each.outputTokens),
    each.money === null ? 'unknown' : each.money.toFixed(4),
    each.basis,
  ])
  print(table([['calls', 'recorded', 'to be paid', 'tokens in', 'tokens out', 'money', 'basis'], ...rows]))
  if (sampled < utterances) print(`from a sample: ${count(sampled)} of ${count(utterances)} source events`)
  print(timeFor({ stages, seconds }))
}

function timeFor({ stages, seconds }: Pick<Estimate, 'stages' | 'seconds'>): string {
  if (stages.every(({ toPay }) => toPay === 0)) return 'no model is called: it takes only the time of this machine'
  if (seconds === null) return 'time for the answers: unknown, since too few were recorded so far'
  return `time for the answers: about ${count(Math.ceil(seconds))} s`
}

export function printPlan({ generation, from, scope, stages, viewEmbedder }: PlannedGeneration): void {
  if (generation === from) {
    print(`nothing would change: the settings give ${from}`)
    return
  }
  print(`generation ${generation} would follow ${from}, over ${formatScope(scope)}`)
  print(
    table(
      stages.map(({ stage, reasons }) => [
        stage,
        reasons.length === 0 ? 'reused' : `derived again: ${reasons.join(', ')}`,
      ]),
    ),
  )
  print(
    viewEmbedder === null
      ? 'views embedded as before'
      : `views embedded by ${viewEmbedder.after} instead of ${viewEmbedder.before}`,
  )
}
