/**
 * Agentic retrieval (Infini Memory): a model looks through one space with the tools, step by step, and names the evidence. What always
 * holds: it ends, after so many steps or tokens; evidence is only what a tool has shown in this search, so no made-up or foreign id ever
 * becomes evidence; and what it did is told.
 */
import { readFileSync } from 'node:fs'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { approximateTokens } from '@loomlog/language/tokens'
import type { ToolCall, ToolModel, TurnMessage } from '@loomlog/models/turn'
import type { Json } from '@loomlog/schemas/ids'
import { pack } from '../packing/pack.ts'
import type { Answer } from '../recall-result.ts'
import { checked, type RecallRequest } from '../request/request.ts'
import type { TailOptions } from '../search/log-tail.ts'
import { type Shown, schema, type ToolPlace } from '../tools/tool.ts'
import { runTool, tools } from '../tools/tools.ts'
import { memoriesOf } from './memories-by-id.ts'

/** Turns of the model. */
export const maxSteps = 12
/** Of all turns together, as the endpoint counts them; where it doesn't, about as many as it would. */
const maxTokens = 60_000
/** Of one turn: calls that are run, and characters that they show together. */
export const maxCalls = 8
export const maxShownChars = 32_000
/** For the whole search. */
const withinMs = 180_000

export interface Step {
  readonly tool: string
  readonly input: string
  readonly shown: number
}

export interface Searched extends Answer {
  readonly steps: readonly Step[]
  /** `unnamed`: it stopped without naming evidence, so what it saw is the evidence; as at the limits of steps and tokens. */
  readonly stopped: 'finished' | 'unnamed' | 'steps' | 'tokens'
}

const prompt = readFileSync(new URL('../prompts/search.v1.md', import.meta.url), 'utf8')
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
  const [space = ''] = asked.spaces
  refuseUnkept(request)
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
  for (let turns = 0; turns < maxSteps; turns++) {
    const sent = approximateTokens(JSON.stringify(messages))
    if (used + sent > maxTokens) return found([...seen], 'tokens')
    const { text, calls, tokens } = await model.turn({ prompt, messages, tools: offered, signal }).catch((error) => {
      if (!signal.aborted) throw error
      throw new LoomlogError('model-unavailable', `${model.name} was not done within ${withinMs} ms`)
    })
    messages.push({ from: 'model', text, calls })
    used += tokens > 0 ? tokens : approximateTokens(JSON.stringify(messages))
    if (calls.length === 0) return found([...seen], 'unnamed')
    const end = calls.find((call) => call.name === finish.name)
    let room = maxShownChars
    for (const [at, call] of calls.filter((each) => each !== end).entries()) {
      if (at >= maxCalls) {
        messages.push({ from: 'tool', call: call.id, text: `not run: at most ${maxCalls} calls in one turn` })
        continue
      }
      const { lines, ids } = fitting(await useTool(call, place), room)
      const shown = lines.join('\n') || 'nothing'
      room -= shown.length
      for (const id of ids) seen.add(id)
      steps.push({ tool: call.name, input: call.input, shown: ids.length })
      messages.push({ from: 'tool', call: call.id, text: shown })
    }
    if (end) return found(evidenceOf(end), 'finished')
  }
  return found([...seen], 'steps')

  async function found(ids: readonly string[], stopped: Searched['stopped']): Promise<Searched> {
    const shown = [...new Set(ids)].filter((id) => seen.has(id))
    return { ...pack(await memoriesOf(shown, place), asked), steps, stopped }
  }
}

/** What a search with tools would not keep is refused, never ignored. */
function refuseUnkept({
  space,
  mode,
  kinds,
  understanding,
  filter = {},
  asOf = {},
  after,
  maxWaitMs,
}: RecallRequest): void {
  const narrowed = Object.values({ ...filter, ...asOf }).some(
    (value) => typeof value === 'number' || Object.keys(Object(value)).length > 0,
  )
  const chosen = [mode, kinds, understanding, after, maxWaitMs].some((given) => given !== undefined)
  if (!narrowed && !chosen && new Set([space].flat()).size === 1) return
  const expected = 'expected no also, mode, kind, filter, time, understanding, after or wait'
  throw new LoomlogError('input-invalid', `a search with tools looks at one space as it is now: ${expected}`)
}

/** As many lines as there is room for, and of the memories those that they show: a line begins with the id of what it shows. */
function fitting({ lines, ids }: Pick<Shown, 'lines' | 'ids'>, room: number): Pick<Shown, 'lines' | 'ids'> {
  let left = room
  const over = lines.findIndex((line) => {
    left -= line.length + 1
    return left < 0
  })
  if (over === -1) return { lines, ids }
  const kept = lines.slice(0, over)
  const shown = ids.filter((id) => kept.some((line) => line.startsWith(`${id} `)))
  return { lines: [...kept, '(cut: too much for one turn; ask for less)'], ids: shown }
}

/** What is wrong with a call is told to the model, which may try again. */
async function useTool(call: ToolCall, place: ToolPlace) {
  try {
    const { lines, ids, more, unsearched } = await runTool(call.name, parsed(call.input), place)
    const notes = [
      ...(more ? ['(there is more)'] : []),
      ...(unsearched ? [`(the views are behind: ${unsearched} records were not looked at)`] : []),
    ]
    return { lines: [...lines, ...notes], ids }
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
