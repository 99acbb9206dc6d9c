/** `loomlog impact ID`: every memory derived from an utterance, box, fact, event or entry, stage by stage, with the cost. */

import { withReading } from '@loomlog/app/generations/live'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { type Effect, impact as impactOf } from '@loomlog/recall/impact'
import { spaceKey } from '@loomlog/schemas/ids'
import { askedFor, costOf, costText } from '../answer-costs.ts'
import { count, faint, type Output, print, printable, printJson, table } from '../print.ts'

export interface ImpactOptions extends Output {
  readonly id: string
  readonly place: SpaceAddress
  /** Largest number of memories listed. */
  readonly limit: number
}

export async function impact({ id, place, limit, json }: ImpactOptions, host: Host): Promise<void> {
  const space = spaceKey(place.tenant, place.space)
  const known = await readGenerations(host.log, host.codec)
  await withReading(host, place.tenant, async ({ views, generation, epoch }) => {
    const { effects } = await impactOf(id, space, { ...host, views })
    const asked = []
    for (const effect of effects) asked.push(...(await askedFor(effect, host, known)))
    const counts = countsOf(effects)
    const cost = costOf(asked)
    const shown = effects.slice(0, limit)
    const leftOut = effects.length - shown.length
    if (json) return printJson({ id, counts, effects: shown, leftOut, cost, generation, epoch })
    if (effects.length === 0) return print('no memory is derived from it yet')
    print(table([['', 'cites it', 'derived with it as context'], ...counts.map((each) => rowOf(each))]))
    for (const effect of shown) printEffect(effect)
    if (leftOut > 0) print(`${count(leftOut)} more: --limit raises the number shown`)
    if (cost.asks > 0) print(`total: ${costText(cost)}`)
  })
}

interface KindCount {
  readonly kind: string
  readonly evidence: number
  readonly context: number
}

function countsOf(effects: readonly Effect[]): readonly KindCount[] {
  return [...Map.groupBy(effects, ({ kind }) => kind)].map(([kind, of]) => {
    const evidence = of.filter(({ by }) => by === 'evidence').length
    return { kind, evidence, context: of.length - evidence }
  })
}

function rowOf({ kind, evidence, context }: KindCount): readonly string[] {
  return [kind, count(evidence), count(context)]
}

function printEffect({ id, kind, text, by, from, derivation, method, holds, record }: Effect): void {
  const { topic, partition, offset } = record
  const how = `${by === 'evidence' ? 'cites' : 'derived with'} ${from}; by ${method}, derivation ${derivation}`
  const over = holds === 'now' ? '' : '; no longer holds'
  print(`${kind} ${id} ${faint(`(${how}${over}; ${topic}/${partition}@${offset})`)}`)
  print(`  ${printable(text).replaceAll('\n', '\n  ')}`)
}
