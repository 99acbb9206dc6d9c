/**
 * `loomlog why ID`: the sources of a memory, down to the utterances with their offsets, and its cost: prompts, models, tokens and, where they
 * are priced, money.
 */

import { withReading } from '@loomlog/app/generations/live'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { type Lineage, why as whyFrom } from '@loomlog/recall/why'
import { spaceKey } from '@loomlog/schemas/ids'
import { askedFor, askedText, costOf, costText, type UsedAnswer } from '../answer-costs.ts'
import { faint, type Output, print, printable, printJson } from '../print.ts'

type AnswersById = ReadonlyMap<string, readonly UsedAnswer[]>

export async function why(
  command: Output & { readonly id: string; readonly place: SpaceAddress },
  host: Host,
): Promise<void> {
  const space = spaceKey(command.place.tenant, command.place.space)
  const { lineage, generation, epoch } = await withReading(host, command.place.tenant, async (reading) => {
    const { generation, epoch, views } = reading
    return { lineage: await whyFrom(command.id, space, { ...host, views }), generation, epoch }
  })
  const asked = await askedOnTheWay(lineage, host)
  const cost = costOf([...asked.values()].flat())
  if (command.json) return printJson({ ...withAsked(lineage, asked), cost, generation, epoch })
  printLineage(lineage, asked)
  if (cost.asks > 0) print(`total: ${costText(cost)}`)
}

async function askedOnTheWay(lineage: Lineage, host: Host): Promise<AnswersById> {
  const known = await readGenerations(host.log, host.codec)
  const found = new Map<string, readonly UsedAnswer[]>()
  const walk = async (of: Lineage): Promise<void> => {
    if (found.has(of.id)) return
    found.set(of.id, await askedFor(of, host, known))
    for (const cause of of.causes) await walk(cause)
  }
  await walk(lineage)
  return found
}

function withAsked(lineage: Lineage, asked: AnswersById): object {
  const causes = lineage.causes.map((cause) => withAsked(cause, asked))
  return { ...lineage, asked: asked.get(lineage.id) ?? [], causes }
}

/** Prints the lineage as a tree; a memory that occurs twice is only named the second time. */
export function printLineage(
  lineage: Lineage,
  asked: AnswersById = new Map(),
  indent = '',
  shown = new Set<string>(),
): void {
  const { topic, partition, offset } = lineage.record
  const made = lineage.derivation === null ? 'appended' : `by ${lineage.method}, derivation ${lineage.derivation}`
  print(`${indent}${lineage.kind} ${lineage.id} ${faint(`(${made}; ${topic}/${partition}@${offset})`)}`)
  if (shown.has(lineage.id)) return
  shown.add(lineage.id)
  print(`${indent}  ${printable(lineage.text).replaceAll('\n', `\n${indent}  `)}`)
  for (const each of asked.get(lineage.id) ?? []) print(`${indent}  ${askedText(each)}`)
  for (const cause of lineage.causes) printLineage(cause, asked, `${indent}    `, shown)
}
