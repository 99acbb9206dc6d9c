/**
 * The memory in the Claude Agent SDK: hooks that add a context to each prompt, and record the turn when the agent
 * stops. The types are those fields of the SDK's that they use, so that the package needs no part of the SDK.
 */
import { hash } from '@loomlog/schemas/ids'
import { type TurnLine, TurnMemory, type TurnOptions } from './turn-memory.ts'

export interface HookOptions extends TurnOptions {
  /** Default: the id of the session. */
  readonly conversation?: string | undefined
}

/** `HookInput`: the fields of the three events. */
interface HookInput {
  readonly session_id: string
  /** The same in every event up to the next prompt. */
  readonly prompt_id?: string
  /** Only in events of a subagent. */
  readonly agent_id?: string
  readonly prompt?: string
  /** Of a prompt: its author. */
  readonly source?: string
  readonly last_assistant_message?: string
}

type HookCall = readonly [input: HookInput, toolUseId: string | undefined, options: { readonly signal: AbortSignal }]

type ContextEvent = 'SessionStart' | 'UserPromptSubmit'

interface HookOutput {
  hookSpecificOutput?: { hookEventName: ContextEvent; additionalContext: string }
}

/** The prompts of a turn that runs: further ones may arrive before the agent stops. */
interface OpenTurn {
  /** That of the prompt, or a random one. */
  readonly id: string
  readonly prompts: readonly string[]
}

/** Tokens. */
const defaultBudget = 1_500
/** The SDK replaces a context of more than 10,000 characters by its beginning. */
const maxContextChars = 9_500
/** The newest utterances of the session's own conversation, which its history has: left out of the context. */
const newestExcluded = 20
/** Most turns in progress; an aborted turn stays until there are more. */
const mostOpenTurns = 1_000

export function memoryHooks({ conversation, ...options }: HookOptions) {
  const memory = new TurnMemory(options)
  const turns = new Map<string, OpenTurn>()

  /** Tokens can have many characters: a context that is too long for the SDK is read again within half the budget. */
  async function contextOf(
    question: string | undefined,
    excludeLast: readonly string[],
    signal: AbortSignal,
    budget = options.context?.budget ?? defaultBudget,
  ): Promise<string> {
    const text = await memory.context(question, { budget, excludeLast }, signal)
    if (text.length <= maxContextChars) return text
    return await contextOf(question, excludeLast, signal, Math.floor(budget / 2))
  }

  async function start(...[, , { signal }]: HookCall): Promise<HookOutput> {
    return outputOf('SessionStart', await contextOf(undefined, [], signal))
  }

  async function submit(...[input, , { signal }]: HookCall): Promise<HookOutput> {
    const { session_id: session, prompt = '' } = input
    if (!isOfPerson(input) || prompt.trim() === '') return {}
    const { id, prompts } = closed(input)
    turns.set(placeOf(input), { id, prompts: [...prompts, prompt] })
    for (const oldest of [...turns.keys()].slice(0, -mostOpenTurns)) turns.delete(oldest)
    return outputOf('UserPromptSubmit', await contextOf(prompt, [`${session}=${newestExcluded}`], signal))
  }

  /** Removes the turn of an event from those in progress. */
  function closed(input: HookInput): OpenTurn {
    const place = placeOf(input)
    const open = turns.get(place) ?? { id: input.prompt_id ?? crypto.randomUUID(), prompts: [] }
    turns.delete(place)
    return open
  }

  async function stop(...[input]: HookCall): Promise<HookOutput> {
    const { session_id: session, agent_id: subagent, last_assistant_message: reply = '' } = input
    if (subagent !== undefined) return {}
    const { id, prompts } = closed(input)
    const at = conversation ?? session
    const line = (role: TurnLine['role'], text: string): TurnLine => {
      return { id: hash(['claude-agent-sdk', at, session, id, role, text]), role, text }
    }
    const replies = reply.trim() === '' ? [] : [line('assistant', reply)]
    await memory.record(at, [...prompts.map((prompt) => line('user', prompt)), ...replies])
    return {}
  }

  return {
    SessionStart: [{ hooks: [start] }],
    UserPromptSubmit: [{ hooks: [submit] }],
    Stop: [{ hooks: [stop] }],
  }
}

/** The key of a turn. A session has several at the same time, if further prompts arrive with other ids. */
function placeOf({ session_id: session, prompt_id: id }: HookInput): string {
  return JSON.stringify([session, id])
}

/** False for prompts of the SDK itself, such as the end of a command in the background, and of subagents. */
function isOfPerson({ prompt = '', source = 'sdk', agent_id }: HookInput): boolean {
  return agent_id === undefined && ['user', 'sdk'].includes(source) && !prompt.startsWith('<task-notification>')
}

function outputOf(hookEventName: ContextEvent, additionalContext: string): HookOutput {
  return additionalContext === '' ? {} : { hookSpecificOutput: { hookEventName, additionalContext } }
}
