/**
 * The memory in Mastra: a processor for the input and the output of an agent. At the input it adds a system message
 * with what the memory knows on the person's message; at the output it records this message and the reply. The types
 * are those fields of Mastra's that it uses, so that the package needs no part of Mastra.
 */
import { hash } from '@loomlog/schemas/ids'
import { type TurnLine, TurnMemory, type TurnOptions, textOf } from './turn-memory.ts'

export interface ProcessorOptions extends TurnOptions {
  /** Default: the thread of the call, `memory: { thread }`. */
  readonly conversation?: string | undefined
}

/** `MastraDBMessage`. */
interface Message {
  readonly id: string
  readonly role: string
  readonly threadId?: string
  readonly content: { readonly parts: readonly { readonly type: string }[] }
}

/** `MessageList`. Its tagged system messages belong to one processor, and no other one replaces them. */
interface Prompt {
  addSystem(content: string, tag: string): unknown
  readonly get: { readonly all: { db(): readonly Message[] } }
}

/** The fields of one call, which both phases see; empty where a suspended call continues. */
type CallState = Record<string, unknown>

interface InputPhase<List extends Prompt> {
  readonly messages: readonly Message[]
  readonly messageList: List
  readonly state: CallState
  readonly abortSignal?: AbortSignal
}

interface OutputPhase<Reply extends Message> {
  /** Those of the reply alone. */
  readonly messages: Reply[]
  readonly messageList: Prompt
  readonly state: CallState
  readonly result: { readonly finishReason: string }
}

/** A call with words of a person. */
interface OpenTurn {
  readonly conversation: string
  /** Of the prompt. */
  readonly lines: readonly TurnLine[]
  /** The person's last message. */
  readonly asked: TurnLine
}

const id = 'loomlog'
/** Reasons that end a call without a reply. */
const failures: readonly string[] = ['error', 'aborted', 'tripwire', 'retry']

export function memoryProcessor({ conversation, ...options }: ProcessorOptions) {
  const memory = new TurnMemory(options)

  function turnOf(messages: readonly Message[]): OpenTurn | null {
    const named = conversationOf(messages, conversation)
    const lines = linesOf(messages, named)
    const asked = lines.findLast(({ role }) => role === 'user')
    return asked === undefined ? null : { conversation: named, lines, asked }
  }

  /**
   * The messages with words: system messages, such as the context itself, are none. In a thread Mastra's id tells two
   * equal messages apart. Without a thread it is random, so the words up to the message count, and the same turn has
   * the same ids when it is repeated.
   */
  function linesOf(messages: readonly Message[], named: string, after: string | null = null): readonly TurnLine[] {
    const lines: TurnLine[] = []
    for (const { id: own, role, threadId, content } of messages) {
      if (role !== 'user' && role !== 'assistant') continue
      const text = textOf(role, content.parts.map(wordsIn))
      if (text === '') continue
      const place = threadId === undefined ? (lines.at(-1)?.id ?? after) : own
      lines.push({ id: hash(['mastra', named, place, role, memory.speakerOf(role), text]), role, text })
    }
    return lines
  }

  return {
    id,
    async processInput<List extends Prompt>({ messages, messageList, state, abortSignal }: InputPhase<List>) {
      await memory.attempt(async () => {
        const turn = turnOf(messages)
        state[id] = turn
        if (turn === null) return
        const exclude = turn.lines.map((line) => line.id)
        const text = await memory.context(turn.asked.text, { exclude }, abortSignal)
        if (text !== '') messageList.addSystem(text, id)
      }, undefined)
      return messageList
    },
    async processOutputResult<Reply extends Message>(phase: OutputPhase<Reply>) {
      const { messages, messageList, state, result } = phase
      await memory.attempt(async () => {
        if (failures.includes(result.finishReason)) return
        const turn = id in state ? (state[id] as OpenTurn | null) : turnOf(messageList.get.all.db())
        if (turn === null) return
        const reply = linesOf(messages, turn.conversation, turn.asked.id).filter(({ role }) => role === 'assistant')
        await memory.record(turn.conversation, [turn.asked, ...reply])
      }, undefined)
      return messages
    },
  }
}

function conversationOf(messages: readonly Message[], given: string | undefined): string {
  const conversation = given ?? messages.at(-1)?.threadId
  if (conversation === undefined)
    throw new TypeError(
      'conversation: undefined; expected a name, or a thread of the call: memory: { thread, resource }',
    )
  return conversation
}

/** A part without words ends a paragraph: steps of a reply are several. */
function wordsIn(part: Message['content']['parts'][number]): string | null {
  return part.type === 'text' && 'text' in part ? String(part.text) : null
}
