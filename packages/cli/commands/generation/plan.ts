/** `loomlog generation plan`: what would be derived anew, what would be reused, and what that would cost. Changes nothing, asks nobody. */

import { type Estimate, estimateOf } from '@loomlog/app/generations/estimate'
import { type Wish, type Wished, wished } from '@loomlog/app/generations/request'
import { scopeText } from '@loomlog/generations/scope'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { count, type Output, print, printJson, table } from '../../print.ts'

export async function plan(wish: Wish & Output, host: Host): Promise<void> {
  const known = await readGenerations(host.log, host.codec)
  const found = await wished(wish, host, known)
  const status = known.generations.get(found.successor.plan.id)?.status ?? null
  const estimate = await estimateOf(host, { ...found, known })
  if (wish.json) return printJson({ ...planOf(found), estimate, status })
  printPlan(found)
  printEstimate(estimate)
  if (status !== null) print(`it exists: ${status}`)
}

function printEstimate({ stages, utterances, sampled, seconds }: Estimate): void {
  if (stages.length === 0) return
  const rows = stages.map((each) => [
    each.stage,
    count(each.recorded),
    count(each.toPay),
    count(each.inputTokens),
    count(each.outputTokens),
    each.money === null ? 'not known' : each.money.toFixed(4),
    each.basis,
  ])
  print(table([['asks', 'recorded', 'to be paid', 'tokens in', 'tokens out', 'money', 'basis'], ...rows]))
  if (sampled < utterances) print(`from a sample: ${count(sampled)} of ${count(utterances)} source events`)
  print(timeFor({ stages, seconds }))
}

function timeFor({ stages, seconds }: Pick<Estimate, 'stages' | 'seconds'>): string {
  if (stages.every(({ toPay }) => toPay === 0)) return 'nobody is asked: it takes the time of this machine alone'
  if (seconds === null) return 'time for the answers: not known, since too few came so far'
  return `time for the answers: about ${count(Math.ceil(seconds))} s`
}

/** For programs. */
export function planOf({ base, scope, successor }: Wished) {
  const { plan: planned, stages, viewEmbedder, chosen } = successor
  const changes = stages.map((stage) => ({ ...stage, reused: stage.reasons.length === 0 }))
  return { generation: planned.id, from: base.id, scope, stages: changes, viewEmbedder, chosen }
}

export function printPlan({ base, scope, successor }: Wished): void {
  const { plan: planned, stages, viewEmbedder } = successor
  if (planned.id === base.id) {
    print(`nothing would change: it is ${base.id}`)
    return
  }
  print(`generation ${planned.id} would follow ${base.id}, over ${scopeText(scope)}`)
  print(
    table(
      stages.map(({ stage, reasons }) => [
        stage,
        reasons.length === 0 ? 'reused' : `derived anew: ${reasons.join(', ')}`,
      ]),
    ),
  )
  const views =
    viewEmbedder === null
      ? `as before, by ${base.viewEmbedder}`
      : `anew, by ${viewEmbedder.after} for ${viewEmbedder.before}`
  print(`views embedded ${views}`)
}
