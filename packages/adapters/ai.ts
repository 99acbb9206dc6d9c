/**
 * The memory in the AI SDK. The middleware puts what the memory knows on the person's message into the prompt, and
 * records the turn after the reply. A failure of the memory never fails the call of the model.
 */
import type { LanguageModelV4Content, LanguageModelV4Middleware, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ContextOptions, MemorySpace } from '@loomlog/client/memory'
import { hash } from '@loomlog/schemas/ids'
import { jsonSchema, tool } from 'ai'

export interface MiddlewareOptions {
  readonly space: MemorySpace
  readonly conversation: string
  /** The author of the messages, whose standing instructions hold. Default: `user`, and the instructions of all. */
  readonly user?: string | undefined
  /** The author of the replies. Default: `assistant`. */
  readonly agent?: string | undefined
  /** Further options of `space.context`, such as the budget of tokens. */
  readonly context?: ContextOptions | undefined
  /** Takes the errors of the memory. Default: a warning on the console. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Longest wait for the memory before the model is asked without it. */
const timeoutMs = 10_000
/** Most messages of the prompt that are left out of its context, the newest ones: a request names 100 ids at most. */
const mostExcluded = 100
const heading = 'From the memory of earlier conversations:'

export function memoryMiddleware(options: MiddlewareOptions): LanguageModelV4Middleware {
  const { space, conversation, user, agent = 'assistant', onError = warn } = options

  async function contextOf(prompt: LanguageModelV4Prompt, signal: AbortSignal): Promise<string> {
    const lines = linesOf(prompt, conversation)
    const asked = lines.findLast(({ role }) => role === 'user')
    if (asked === undefined) return ''
    const exclude = lines.slice(-mostExcluded).map(({ id }) => id)
    return (await space.context(asked.text, { for: user, exclude, ...options.context, signal })).text
  }

  async function record(prompt: LanguageModelV4Prompt, reply: string): Promise<void> {
    const replied: LanguageModelV4Prompt = [...prompt, { role: 'assistant', content: [{ type: 'text', text: reply }] }]
    const lines = linesOf(replied, conversation)
    const asked = lines.findLastIndex(({ role }) => role === 'user')
    const said = lines.filter(({ prompted }, at) => at === asked || prompted === replied.length - 1)
    const messages = said.map(({ id, role, text }) =>
      role === 'user'
        ? ({ id, text, speaker: user ?? 'user', role: 'human' } as const)
        : ({ id, text, speaker: agent, role: 'agent' } as const),
    )
    if (messages.length === 0) return
    await space.add(messages, { conversation, signal: AbortSignal.timeout(timeoutMs) }).catch(onError)
  }

  return {
    specificationVersion: 'v4',
    async transformParams({ params }) {
      const { prompt, abortSignal } = params
      const signals = [AbortSignal.timeout(timeoutMs), ...(abortSignal ? [abortSignal] : [])]
      try {
        const text = await contextOf(prompt, AbortSignal.any(signals))
        return text === '' ? params : { ...params, prompt: withSystem(prompt, `${heading}\n\n${text}`) }
      } catch (error) {
        onError(error)
        return params
      }
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate()
      await record(params.prompt, textOf(result.content))
      return result
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...result } = await doStream()
      let reply = ''
      let isFinished = false
      const recorded = stream.pipeThrough(
        new TransformStream({
          transform(part, controller) {
            if (part.type === 'text-delta') reply += part.delta
            if (part.type === 'finish') isFinished = true
            controller.enqueue(part)
          },
          flush: async () => {
            if (isFinished) await record(params.prompt, reply)
          },
        }),
      )
      return { ...result, stream: recorded }
    },
  }
}

/** A message of the conversation with words: system messages, such as the context itself, are none. */
interface Line {
  /** Derived from the words of the conversation so far. So the same turn has the same ids when it is repeated. */
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly text: string
  /** Its place in the prompt. */
  readonly prompted: number
}

function linesOf(prompt: LanguageModelV4Prompt, conversation: string): readonly Line[] {
  const lines: Line[] = []
  for (const [prompted, { role, content }] of prompt.entries()) {
    if (role !== 'user' && role !== 'assistant') continue
    const text = textOf(content)
    if (text.trim() === '') continue
    lines.push({ id: hash(['ai', conversation, lines.at(-1)?.id ?? null, role, text]), role, text, prompted })
  }
  return lines
}

type Part = LanguageModelV4Content | Exclude<LanguageModelV4Prompt[number], { role: 'system' }>['content'][number]

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** After the application's own system messages, so that a provider's cache of these stays valid. */
function withSystem(prompt: LanguageModelV4Prompt, content: string): LanguageModelV4Prompt {
  const first = prompt.findIndex(({ role }) => role !== 'system')
  return prompt.toSpliced(first, 0, { role: 'system', content })
}

function warn(error: unknown): void {
  console.warn('the memory failed:', error)
}

export interface MemoryToolsOptions {
  /** The author of remembered statements. Default: `user`. */
  readonly user?: string | undefined
  /** The conversation of remembered statements. Default: `tools`. */
  readonly conversation?: string | undefined
}

/** Tools for a model that searches and writes the memory itself. */
export function memoryTools(space: MemorySpace, { user = 'user', conversation = 'tools' }: MemoryToolsOptions = {}) {
  return {
    recall: tool({
      description: 'Find memories that answer a question. Use it before you answer about earlier conversations.',
      inputSchema: inputOf('question', 'The question in full, with names'),
      execute: async ({ question }, { abortSignal }) => {
        const { text } = await space.recall(question, { limit: 10, signal: abortSignal })
        return text === '' ? 'Nothing found.' : text
      },
    }),
    remember: tool({
      description: 'Store a fact, a preference, a plan or a decision of the user. Do not store recalled text.',
      inputSchema: inputOf('text', 'In full sentences of the user, with names and dates'),
      execute: async ({ text }, { abortSignal }) => {
        await space.add({ speaker: user, role: 'human', text }, { conversation, signal: abortSignal })
        return 'Stored.'
      },
    }),
  }
}

function inputOf<Name extends string>(name: Name, description: string) {
  return jsonSchema<Record<Name, string>>({
    type: 'object',
    properties: { [name]: { type: 'string', description } },
    required: [name],
    additionalProperties: false,
  })
}
