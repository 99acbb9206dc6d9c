/** `loomlog context [QUERY]`: the text that an agent is given by default, with the sources of each line below it. */
import { withReading } from '@loomlog/app/generations/live'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { type ContextBlock, contextBlock } from '@loomlog/recall/context-block'
import { contextRequestFrom, type TextParameters } from '@loomlog/recall/parameters'
import { noticesField, unknownNames } from '@loomlog/recall/unknown-names'
import { spaceKey } from '@loomlog/schemas/ids'
import { cell, faint, type Output, print, printable, printJson } from '../print.ts'
import { printQuestionAnalysis } from '../recall-explanation.ts'
import { printUnknownNames, spaceNamesIn } from '../unknown-names.ts'
import { optionOf, printFailures, record } from './recall.ts'

export interface ContextCommand extends Output {
  /** Undefined: no question. */
  readonly query: string | undefined
  readonly place: SpaceAddress
  readonly textParameters: TextParameters
}

export async function context({ query, place, textParameters, json }: ContextCommand, host: Host): Promise<void> {
  const space = spaceKey(place.tenant, place.space)
  const request = contextRequestFrom({ ...textParameters, ...(query !== undefined && { query }) }, space, optionOf)
  const { log, codec, model } = host
  const block = await withReading(host, place.tenant, async ({ views, embedder, generation, epoch }) => {
    const found = await contextBlock(request, { log, codec, views, embedder, model })
    const names = { spaces: [space], speakers: request.filter?.speakers ?? [] }
    const spaceNames = spaceNamesIn(host, place.tenant)
    const notices = noticesField(await unknownNames(names, found.items, { log, codec, views, spaceNames }))
    return { space, generation, epoch, ...found, ...notices }
  })
  if (host.config.recalls === 'on') {
    const served = { spaces: [space], query: query ?? '', generation: block.generation, caller: null }
    await record({ ...served, result: { ...block, leftOut: [] } }, host)
  }
  printContext(block, { json })
}

export function printContext(
  block: ContextBlock & { readonly space: string; readonly notices?: readonly string[] },
  { json }: Output,
): void {
  const { text, items, space, failed, understood } = block
  printUnknownNames(block.notices)
  if (json) {
    printJson(block)
    return
  }
  printFailures(failed)
  if (understood) printQuestionAnalysis(understood)
  print(items.length === 0 ? `nothing found in ${space}` : printable(text))
  for (const [at, { kind, id, sources }] of items.entries()) {
    const from = kind === 'utterance' ? '' : `, from ${sources.map(cell).join(', ')}`
    print(faint(`${at + 1}  ${kind} ${cell(id)}${from}`))
  }
}
