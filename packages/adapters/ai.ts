/**
 * The memory in the AI SDK. The middleware puts what the memory knows on the person's message into the prompt, and
 * records the turn after the reply. A failure of the memory never fails the call of the model.
 */
import type {
  LanguageModelV4Content,
  LanguageModelV4Middleware,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { MemorySpace } from '@loomlog/client/memory'
import { hash } from '@loomlog/schemas/ids'
import { jsonSchema, tool } from 'ai'
import { type TurnLine, TurnMemory, type TurnOptions, textOf } from './turn-memory.ts'

export interface MiddlewareOptions extends TurnOptions {
  readonly conversation: string
}

export function memoryMiddleware({ conversation, ...options }: MiddlewareOptions): LanguageModelV4Middleware {
  const memory = new TurnMemory(options)

  /** The id is derived from the words before, and the author. So the same turn has the same ids when it is repeated. */
  function lineAfter(before: TurnLine | undefined, role: TurnLine['role'], text: string): TurnLine {
    return { id: hash(['ai', conversation, before?.id ?? null, role, memory.speakerOf(role), text]), role, text }
  }

  /** The messages with words: system messages, such as the context itself, are none. */
  function linesOf(prompt: LanguageModelV4Prompt): readonly TurnLine[] {
    const lines: TurnLine[] = []
    for (const { role, content } of prompt) {
      if (role !== 'user' && role !== 'assistant') continue
      const text = textOf(role, content.flatMap(wordsIn))
      if (text !== '') lines.push(lineAfter(lines.at(-1), role, text))
    }
    return lines
  }

  async function record(prompt: LanguageModelV4Prompt, reply: readonly (string | null)[]): Promise<void> {
    const lines = linesOf(prompt)
    const text = textOf('assistant', reply)
    const replied = text === '' ? [] : [lineAfter(lines.at(-1), 'assistant', text)]
    await memory.record(conversation, [...lines.filter(isUser).slice(-1), ...replied])
  }

  return {
    specificationVersion: 'v4',
    async transformParams({ params }) {
      const lines = linesOf(params.prompt)
      const asked = lines.findLast(isUser)
      if (asked === undefined) return params
      const exclude = lines.map(({ id }) => id)
      const text = await memory.context(asked.text, { exclude }, params.abortSignal)
      return text === '' ? params : { ...params, prompt: withSystem(params.prompt, text) }
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate()
      if (result.finishReason.unified !== 'error') await record(params.prompt, result.content.flatMap(wordsIn))
      return result
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...result } = await doStream()
      const reply: (string | null)[] = []
      let hasEnded = false
      let hasFailed = false
      const recorded = stream.pipeThrough(
        new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
          transform(part, controller) {
            reply.push(...wordsIn(part))
            hasEnded ||= part.type === 'finish'
            hasFailed ||= part.type === 'error' || (part.type === 'finish' && part.finishReason.unified === 'error')
            controller.enqueue(part)
          },
          flush: async () => {
            if (hasEnded && !hasFailed) await record(params.prompt, reply)
          },
        }),
      )
      return { ...result, stream: recorded }
    },
  }
}

function isUser({ role }: TurnLine): boolean {
  return role === 'user'
}

type Part =
  | LanguageModelV4StreamPart
  | LanguageModelV4Content
  | Exclude<LanguageModelV4Prompt[number], { role: 'system' }>['content'][number]

/** Parts that end a paragraph. A source is none: it may stand within a sentence. */
const breaks: readonly string[] = [
  'reasoning',
  'reasoning-start',
  'tool-input-start',
  'tool-call',
  'tool-result',
  'file',
] satisfies Part['type'][]

/** In the form of `textOf`. */
function wordsIn(part: Part): readonly (string | null)[] {
  if (part.type === 'text') return [part.text]
  if (part.type === 'text-delta') return [part.delta]
  return breaks.includes(part.type) ? [null] : []
}

/** After the application's own system messages, so that a provider's cache of these stays valid. */
function withSystem(prompt: LanguageModelV4Prompt, content: string): LanguageModelV4Prompt {
  const first = prompt.findIndex(({ role }) => role !== 'system')
  return prompt.toSpliced(first, 0, { role: 'system', content })
}

export interface MemoryToolsOptions {
  /** The author of remembered statements. Default: `assistant`. */
  readonly agent?: string | undefined
  /** The conversation of remembered statements. Default: `tools`. */
  readonly conversation?: string | undefined
}

/**
 * Tools for a model that searches and writes the memory itself. A text that it stores is its own, also where it is
 * about a person: a page that it has read could make it store a statement that the person never made.
 */
export function memoryTools(
  space: MemorySpace,
  { agent = 'assistant', conversation = 'tools' }: MemoryToolsOptions = {},
) {
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
      inputSchema: inputOf('text', 'In full sentences that name the user and others, with dates'),
      execute: async ({ text }, { abortSignal }) => {
        await space.add({ speaker: agent, role: 'agent', text }, { conversation, signal: abortSignal })
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
