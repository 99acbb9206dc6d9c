/** `loomlog generation plan`: what would be derived anew, and what would be reused. Changes nothing. */
import { scopeText } from '@loomlog/generations/scope'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { type Output, print, printJson, table } from '../../print.ts'
import { type Wish, type Wished, wished } from './wish.ts'

export async function plan(wish: Wish & Output, host: Host): Promise<void> {
  const known = await readGenerations(host.log, host.codec)
  const found = wished(wish, host, known)
  const status = known.generations.get(found.successor.plan.id)?.status ?? null
  if (wish.json) return printJson({ ...planOf(found), status })
  printPlan(found)
  if (status !== null) print(`it exists: ${status}`)
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
