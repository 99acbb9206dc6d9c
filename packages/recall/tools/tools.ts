/** The tools of agentic retrieval, by name. */
import { LoomlogError } from '@loomlog/errors'
import { readDespiteDamage } from '../damage-tolerance.ts'
import { browseIds } from './browse-ids.ts'
import { exactPattern } from './exact-pattern.ts'
import { inspectDocument } from './inspect-document.ts'
import { lexicalSearch } from './lexical-search.ts'
import { readLines } from './read-lines.ts'
import type { Tool, ToolContext, ToolInput, ToolResult } from './tool.ts'

export const tools: readonly Tool[] = [lexicalSearch, exactPattern, inspectDocument, browseIds, readLines]

/**
 * @throws LoomlogError `not-found` for an unknown tool; `input-invalid` for an input of another type; `view-corrupt`
 */
export async function runTool(name: string, input: unknown, place: ToolContext): Promise<ToolResult> {
  const tool = tools.find((each) => each.name === name)
  if (!tool) {
    const names = tools.map((each) => each.name).join(', ')
    throw new LoomlogError('not-found', `there is no tool ${name.slice(0, 80)}: expected one of ${names}`)
  }
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    throw new LoomlogError('input-invalid', `the input of ${name} is no JSON object`)
  }
  return await readDespiteDamage([place.space], place.views, () => tool.run(input as ToolInput, place))
}
