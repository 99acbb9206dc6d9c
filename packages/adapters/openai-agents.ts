/**
 * A conversation of the memory as a session of the OpenAI Agents SDK: each item of the history is an utterance.
 */
import type { MemorySpace } from '@loomlog/client/memory'
import type { AgentInputItem, Session } from '@openai/agents'
import { LabelledUtterances } from './labelled-utterances.ts'

export interface SessionOptions {
  readonly space: MemorySpace
  /** The id of the session, too. It belongs to the session alone. */
  readonly conversation: string
  /** The author of the input. Default: `user`. */
  readonly user?: string | undefined
  /** The author of the output. Default: `assistant`. */
  readonly agent?: string | undefined
}

export function memorySession({ space, conversation, user = 'user', agent = 'assistant' }: SessionOptions): Session {
  const history = new LabelledUtterances<AgentInputItem>({ space, conversation, label: 'openai-agents' })
  return {
    getSessionId: async () => conversation,
    async getItems(limit) {
      const items = (await history.read()).map(({ value }) => value)
      return limit === undefined ? items : items.slice(Math.max(0, items.length - limit))
    },
    async addItems(items) {
      const added = items.map((item) => ({ ...authorOf(item, { user, agent }), text: textOf(item), value: item }))
      await history.inTurn(() => history.add(added))
    },
    popItem: () =>
      history.inTurn(async () => {
        const last = (await history.read()).slice(-1)
        await history.retract(last, 'popItem')
        return last[0]?.value
      }),
    clearSession: () => history.inTurn(() => history.retractAll('clearSession')),
  }
}

/** The fields that items have in common. */
interface LooseItem {
  readonly type?: string
  readonly role?: string
  readonly name?: string
  readonly content?: unknown
  readonly arguments?: unknown
}

/** A tool is no speaker under its own name, which could be a person's. */
function authorOf(item: AgentInputItem, { user, agent }: { readonly user: string; readonly agent: string }) {
  const { role, type = 'message' } = item as LooseItem
  if (role === 'user') return { speaker: user, role: 'human' } as const
  if (role === 'system') return { speaker: 'system', role: 'system' } as const
  if (/_(result|output)$/.test(type)) return { speaker: 'tool', role: 'tool' } as const
  return { speaker: agent, role: 'agent' } as const
}

/**
 * The words of a message of the person or the agent, the agent's call of a tool, or the type: a text is never empty.
 * Results of tools and system messages may repeat recalled words, which would be recorded as spoken once more.
 */
function textOf(item: AgentInputItem): string {
  const { type = 'message', role, name, content, arguments: input } = item as LooseItem
  if (role === 'system') return '(system)'
  if (typeof input === 'string') return `${name}(${input})`
  const words = role === 'user' || role === 'assistant' ? wordsOf(content) : ''
  return words.trim() === '' ? `(${type})` : words
}

function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(wordsOf).join('\n')
  const { text, refusal, transcript } = (content ?? {}) as { readonly [field: string]: unknown }
  return [text, refusal, transcript].filter((words) => typeof words === 'string').join('\n')
}
