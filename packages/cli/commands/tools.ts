/** `loomlog tools [NAME [INPUT]]`: lists the tools of agentic retrieval, or uses one. */

import { withReading } from '@loomlog/app/generations/live'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { runTool, tools } from '@loomlog/recall/tools'
import { noticesField, unknownNames } from '@loomlog/recall/unknown-names'
import { spaceKey } from '@loomlog/schemas/ids'
import { cell, count, heading, type Output, print, printJson, printNotice } from '../print.ts'
import { printUnknownNames, spaceNamesIn } from '../unknown-names.ts'

export function listTools({ json }: Output): void {
  const list = tools.map(({ name, description, input }) => ({ name, description, input }))
  if (json) {
    printJson(list)
    return
  }
  for (const { name, description, input } of list) {
    print(`${heading(name)} ${JSON.stringify(input.properties)}`)
    print(`    ${description}`)
  }
}

type ToolResult = Awaited<ReturnType<typeof runTool>> & { readonly notices?: readonly string[] }

export interface ToolCommand extends Output {
  readonly name: string
  readonly input: unknown
  readonly place: SpaceAddress
}

export async function useTool({ name, input, place }: ToolCommand, host: Host): Promise<ToolResult> {
  const { log, codec } = host
  const space = spaceKey(place.tenant, place.space)
  return withReading(host, place.tenant, async ({ views, generation, epoch }) => {
    const result = await runTool(name, input, { log, codec, views, space })
    const names = { spaces: result.lines.length === 0 ? [space] : [], speakers: [] }
    const spaceNames = spaceNamesIn(host, place.tenant)
    const notices = noticesField(await unknownNames(names, [], { log, codec, views, spaceNames }))
    return { ...result, generation, epoch, ...notices }
  })
}

export function printTool(shown: ToolResult, { json }: Output): void {
  printUnknownNames(shown.notices)
  if (json) {
    printJson(shown)
    return
  }
  for (const line of shown.lines) print(cell(line))
  if (shown.lines.length === 0) print('nothing found')
  if (shown.more) printNotice('there are further lines')
  if (shown.unsearched) printNotice(`the views are behind: about ${count(shown.unsearched)} records were not searched`)
}

/** @throws LoomlogError `input-invalid` */
export function parsedInput(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch (cause) {
    const message = `the input is ${JSON.stringify(input.slice(0, 80))}: expected JSON, such as '{"query": "boat"}'`
    throw new LoomlogError('input-invalid', message, { cause })
  }
}
