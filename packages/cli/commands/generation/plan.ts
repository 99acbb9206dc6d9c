/** `loomlog generation plan`: the stages that would be derived again, those that would be reused, and the cost. Changes nothing, calls no model. */

import { type Estimate, estimateOf } from '@loomlog/app/generations/estimate'
import { type GenerationRequest, type PlannedRequest, planRequest } from '@loomlog/app/generations/request'
import { scopeText } from '@loomlog/generations/scope'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { count, type Output, print, printJson, table } from '../../print.ts'

export async function plan(request: GenerationRequest & Output, host: Host): Promise<void> {
  const known = await readGenerations(host.log, host.codec)
  const found = await planRequest(request, host, known)
  const status = known.generations.get(found.successor.plan.id)?.status ?? null
  const estimate = await estimateOf(host, { ...found, known })
  if (request.json) return printJson({ ...planOf(found), estimate, status })
  printPlan(found)
  printEstimate(estimate)
  if (status !== null) print(`this generation exists, with status ${status}`)
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

/** For programs. */
export function planOf({ base, scope, successor }: PlannedRequest) {
  const { plan: planned, stages, viewEmbedder, chosen } = successor
  const changes = stages.map((stage) => ({ ...stage, reused: stage.reasons.length === 0 }))
  return { generation: planned.id, from: base.id, scope, stages: changes, viewEmbedder, chosen }
}

export function printPlan({ base, scope, successor }: PlannedRequest): void {
  const { plan: planned, stages, viewEmbedder } = successor
  if (planned.id === base.id) {
    print(`nothing would change: the settings give ${base.id}`)
    return
  }
  print(`generation ${planned.id} would follow ${base.id}, over ${scopeText(scope)}`)
  print(
    table(
      stages.map(({ stage, reasons }) => [
        stage,
        reasons.length === 0 ? 'reused' : `derived again: ${reasons.join(', ')}`,
      ]),
    ),
  )
  const views =
    viewEmbedder === null
      ? `by ${base.viewEmbedder}, as before`
      : `by ${viewEmbedder.after} instead of ${viewEmbedder.before}`
  print(`views embedded ${views}`)
}
