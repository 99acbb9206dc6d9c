/**
 * Agentic retrieval (Infini Memory): a model searches one space with the tools, step by step, and names the evidence.
 * Invariants: the search ends within a number of steps, of tokens and of milliseconds; evidence is only a memory that a
 * tool has shown in this search, so that no made-up or foreign id becomes evidence; the result lists the steps.
 */
import { readFileSync } from 'node:fs'
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { approximateTokens } from '@loomlog/language/tokens'
import type { ToolCall, ToolModel, TurnMessage } from '@loomlog/models/tool-model'
import type { Json } from '@loomlog/schemas/ids'
import { readDespiteDamage } from '../damage-tolerance.ts'
import { callSignal } from '../model-call.ts'
import { pack } from '../packing/pack.ts'
import type { RecallOptions } from '../recall-options.ts'
import type { RecallResult } from '../recall-result.ts'
import { checkRequest, type RecallRequest } from '../request/request.ts'
import type { TailOptions } from '../search/log-tail.ts'
import { schema, shortenLine, type ToolContext, type ToolResult } from '../tools/tool.ts'
import { runTool, tools } from '../tools/tools.ts'
import { memoriesOf } from './memories-by-id.ts'

/** Turns of the model. */
export const maxSteps = 12
/** Tokens of all turns, as the endpoint counts them, or else estimated. */
const maxTokens = 60_000
/** Calls that run in one turn, and characters of their results together. */
export const maxCalls = 8
export const maxShownChars = 32_000
/** Timeout of the model's turns, all together. */
const timeoutMs = 180_000

export interface SearchStep {
  readonly tool: string
  readonly input: string
  /** Memories that the tool showed. */
  readonly shown: number
}

export interface AgenticResult extends RecallResult {
  readonly steps: readonly SearchStep[]
  /** `unnamed`: the model named no evidence. Except for `finished`, all shown memories are evidence. */
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
  options: TailOptions & Pick<RecallOptions, 'signal'>,
  model: ToolModel | null,
): Promise<AgenticResult> {
  const checkedRequest = checkRequest(request, options.views.tables)
  const [space = ''] = checkedRequest.spaces
  refuseUnsupported(request)
  const place = { ...options, space }
  if (model === null) {
    throw new LoomlogError(
      'input-invalid',
      'a search with tools needs a model (LOOMLOG_MODEL); the tools work without one',
    )
  }
  const messages: TurnMessage[] = [{ from: 'user', text: checkedRequest.query }]
  const steps: SearchStep[] = []
  const shownIds = new Set<string>()
  const signal = callSignal(timeoutMs, options.signal)
  const offered = [...tools, finish]
  let used = 0
  let unsearched = 0
  for (let turns = 0; turns < maxSteps; turns++) {
    options.signal?.throwIfAborted()
    const sent = approximateTokens(JSON.stringify(messages))
    if (used + sent > maxTokens) return resultOf([...shownIds], 'tokens')
    const { text, calls, tokens } = await model.turn({ prompt, messages, tools: offered, signal }).catch((error) => {
      options.signal?.throwIfAborted()
      if (!signal.aborted) throw error
      throw new LoomlogError('model-unavailable', `${model.name} was not done within ${timeoutMs} ms`)
    })
    messages.push({ from: 'model', text, calls })
    used += tokens > 0 ? tokens : approximateTokens(JSON.stringify(messages))
    if (calls.length === 0) return resultOf([...shownIds], 'unnamed')
    const end = calls.find((call) => call.name === finish.name)
    let room = maxShownChars
    for (const [at, call] of calls.filter((each) => each !== end).entries()) {
      if (at >= maxCalls) {
        messages.push({ from: 'tool', call: call.id, text: `not run: at most ${maxCalls} calls in one turn` })
        continue
      }
      const result = await runCall(call, place)
      unsearched = Math.max(unsearched, result.unsearched ?? 0)
      const { lines, ids } = cutTo(room, result)
      const shown = lines.join('\n') || 'nothing'
      room -= shown.length
      for (const id of ids) shownIds.add(id)
      steps.push({ tool: call.name, input: call.input, shown: ids.length })
      messages.push({ from: 'tool', call: call.id, text: shown })
    }
    if (end) return resultOf(evidenceOf(end), 'finished')
  }
  return resultOf([...shownIds], 'steps')

  async function resultOf(ids: readonly string[], stopped: AgenticResult['stopped']): Promise<AgenticResult> {
    const evidence = [...new Set(ids)].filter((id) => shownIds.has(id))
    return await readDespiteDamage([space], place.views, async () => {
      const packed = await pack(await memoriesOf(evidence, place), checkedRequest, place)
      return { ...packed, steps, stopped, ...(unsearched > 0 && { unsearched }) }
    })
  }
}

/** Refuses every field of a request that the tools can't honour, a field that is added later included. */
function refuseUnsupported({ query: _, limit: __, budgetTokens: ___, space, ...unsupported }: RecallRequest): void {
  if (!isSet(unsupported) && new Set([space].flat()).size === 1) return
  const expected = 'expected no also, mode, kind, filter, exclude, excludeLast, time, understanding, after or wait'
  throw new LoomlogError('input-invalid', `a search with tools looks at one space as it is now: ${expected}`)
}

/** False for undefined, and for lists and objects without a set value. */
function isSet(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value !== undefined
  return Object.values(value).some(isSet)
}

type ShownLines = Pick<ToolResult, 'lines' | 'ids' | 'unsearched'>

/**
 * The first lines, as far as there is room, and the memories that they show: a line begins with the id of its memory.
 */
function cutTo(room: number, { lines, ids }: ShownLines): Pick<ShownLines, 'lines' | 'ids'> {
  let left = room
  const over = lines.findIndex((line) => {
    left -= line.length + 1
    return left < 0
  })
  if (over === -1) return { lines, ids }
  const kept = lines.slice(0, over)
  const idsOfKept = ids.filter((id) => kept.some((line) => line.startsWith(`${id} `)))
  return { lines: [...kept, '(cut: too much for one turn; ask for less)'], ids: idsOfKept }
}

/** The model gets the error of a wrong call as its result, and may try again. */
async function runCall(call: ToolCall, place: ToolContext): Promise<ShownLines> {
  try {
    const { lines, ids, more, unsearched, rebuilding = [] } = await runTool(call.name, parsed(call.input), place)
    const notes = [
      ...(more ? ['(there is more)'] : []),
      ...(rebuilding.length > 0 ? ['(a view is being rebuilt: memories may be missing)'] : []),
      ...(unsearched ? [`(the views are behind: ${unsearched} records were not looked at)`] : []),
    ]
    return { lines: [...lines, ...notes], ids, ...(unsearched !== undefined && { unsearched }) }
  } catch (error) {
    if (!isLoomlogError(error, 'input-invalid') && !isLoomlogError(error, 'not-found')) throw error
    return { lines: [shortenLine(error.message)], ids: [] }
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
