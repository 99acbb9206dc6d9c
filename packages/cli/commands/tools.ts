/** `loomlog tools [NAME [INPUT]]`: lists the tools of agentic retrieval, or uses one. */
import { LoomlogError } from '@loomlog/errors'
import type { ToolReply } from '@loomlog/recall/recall-reply'
import { tools } from '@loomlog/recall/tools'
import {
  cell,
  count,
  heading,
  type Output,
  print,
  printJson,
  printNotice,
  printUnknownNames,
  withNameError,
} from '../print.ts'

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

export function printTool(shown: ToolReply, { json }: Output): void {
  printUnknownNames(shown)
  if (json) {
    printJson(withNameError(shown))
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
