/**
 * Agentic retrieval (Infini Memory): a model looks through one space with the tools, step by step, and names the evidence. What always
 * holds: it ends, after so many steps or tokens; evidence is only what a tool has shown in this search, so no made-up or foreign id ever
 * becomes evidence; and what it did is told.
 */
import { readFileSync } from 'node:fs'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { ToolCall, ToolModel, TurnMessage } from '@loomlog/models/turn'
import type { Json } from '@loomlog/schemas/ids'
import type { Answer } from './answer.ts'
import { memoriesOf } from './by-ids.ts'
import { pack } from './pack.ts'
import { checked, type RecallRequest } from './request.ts'
import type { TailOptions } from './tail.ts'
import { schema, type ToolPlace } from './tools/tool.ts'
import { runTool, tools } from './tools/tools.ts'

/** Turns of the model. */
export const maxSteps = 12
/** Of all turns together, as the endpoint counts them. */
const maxTokens = 60_000
/** For the whole search. */
const withinMs = 180_000

export interface Step {
  readonly tool: string
  readonly input: string
  readonly shown: number
}

export interface Searched extends Answer {
  readonly steps: readonly Step[]
  readonly stopped: 'finished' | 'steps' | 'tokens'
}

const prompt = readFileSync(new URL('./prompts/search.v1.md', import.meta.url), 'utf8')
const finish = {
  name: 'finish',
  description: 'Ends the search, with the ids of the evidence.',
  input: schema({ evidence: { type: 'array', items: { type: 'string' } } }, ['evidence']),
}

/** @throws LoomlogError `input-invalid` without a model; `model-unavailable`; `view-corrupt` */
export async function searchWithTools(
  request: RecallRequest,
  options: TailOptions,
  model: ToolModel | null,
): Promise<Searched> {
  const asked = checked(request)
  const [space = '', ...others] = asked.spaces
  const narrowed = Object.values({ ...asked.within.filter, ...asked.within.asOf }).some(
    (value) => Object.keys(Object(value)).length > 0 || typeof value === 'number',
  )
  if (others.length > 0 || narrowed || asked.after !== null) {
    throw new LoomlogError(
      'input-invalid',
      'a search with tools looks at one space as it is now: expected no also, filter, time or after',
    )
  }
  const place = { ...options, space }
  if (model === null) {
    throw new LoomlogError(
      'input-invalid',
      'a search with tools needs a model (LOOMLOG_MODEL); the tools work without one',
    )
  }
  const messages: TurnMessage[] = [{ from: 'user', text: asked.query }]
  const steps: Step[] = []
  const seen = new Set<string>()
  const signal = AbortSignal.timeout(withinMs)
  const offered = [...tools, finish]
  let used = 0
  for (let turns = 0; turns < maxSteps && used < maxTokens; turns++) {
    const { text, calls, tokens } = await model.turn({ prompt, messages, tools: offered, signal }).catch((error) => {
      if (!signal.aborted) throw error
      throw new LoomlogError('model-unavailable', `${model.name} was not done within ${withinMs} ms`)
    })
    used += tokens
    messages.push({ from: 'model', text, calls })
    const end = calls.find((call) => call.name === finish.name)
    if (end || calls.length === 0) return found(end ? evidenceOf(end) : [], 'finished')
    for (const call of calls) {
      const { lines, ids } = await useTool(call, place)
      for (const id of ids) seen.add(id)
      steps.push({ tool: call.name, input: call.input, shown: ids.length })
      messages.push({ from: 'tool', call: call.id, text: lines.join('\n') || 'nothing' })
    }
  }
  return found([...seen], used >= maxTokens ? 'tokens' : 'steps')

  async function found(ids: readonly string[], stopped: Searched['stopped']): Promise<Searched> {
    const shown = [...new Set(ids)].filter((id) => seen.has(id))
    return { ...pack(await memoriesOf(shown, place), asked), steps, stopped }
  }
}

/** What is wrong with a call is told to the model, which may try again. */
async function useTool(call: ToolCall, place: ToolPlace) {
  try {
    const { lines, ids, more } = await runTool(call.name, parsed(call.input), place)
    return { lines: more ? [...lines, '(there is more)'] : lines, ids }
  } catch (error) {
    if (!isLoomlogError(error, 'input-invalid') && !isLoomlogError(error, 'not-found')) throw error
    return { lines: [error.message], ids: [] }
  }
}

function evidenceOf({ input }: ToolCall): readonly string[] {
  const { evidence } = (parsed(input) ?? {}) as { readonly evidence?: Json }
  return Array.isArray(evidence) ? evidence.filter((id) => typeof id === 'string') : []
}

function parsed(input: string): Json {
  try {
    return JSON.parse(input) as Json
  } catch {
    return null
  }
}
