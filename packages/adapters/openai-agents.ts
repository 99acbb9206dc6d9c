/**
 * A conversation of the memory as a session of the OpenAI Agents SDK. Each item of the history is an utterance, with
 * the item as JSON in a label and its words as the text. Times are one ms apart at least: they are the order of the
 * items, and select the one that `popItem` retracts.
 */
import type { ListedMemory } from '@loomlog/client/api'
import type { MemorySpace } from '@loomlog/client/memory'
import { hash } from '@loomlog/schemas/ids'
import type { AgentInputItem, Session } from '@openai/agents'

export interface SessionOptions {
  readonly space: MemorySpace
  /** The id of the session, too. It belongs to the session alone. */
  readonly conversation: string
  /** The author of the input. Default: `user`. */
  readonly user?: string | undefined
  /** The author of the output. Default: `assistant`. */
  readonly agent?: string | undefined
}

interface StoredItem {
  /** In ms since 1970. */
  readonly at: number
  readonly item: AgentInputItem
}

/** The label of an utterance that has the item, and the author of retractions. */
const label = 'openai-agents'
/** Longest wait until written items can be read. */
const waitMs = 30_000
const pageItems = 500
/** Below the limit of 65,536 bytes of a text, at three bytes a character. */
const maxTextChars = 20_000

export function memorySession({ space, conversation, user = 'user', agent = 'assistant' }: SessionOptions): Session {
  /** The time of the newest item, as far as known. */
  let newest: number | null = null
  /** Is in the log once. Each further time it only gives the position after every write, of other processes too. */
  const opening = { id: hash([label, conversation]), speaker: label, role: 'system', text: '(session)' } as const
  async function storedItems(): Promise<readonly StoredItem[]> {
    const { position } = await space.add(opening, { conversation })
    // The cheapest call that waits for the views; its result is of no use.
    await space.recall(conversation, { after: position, wait: waitMs, kind: 'document', limit: 1 })
    const found: StoredItem[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await space.list({ kind: 'utterance', conversation, limit: pageItems, cursor })
      found.push(...page.memories.flatMap(storedItemIn))
      cursor = page.next
    }
    const items = found.toSorted((a, b) => a.at - b.at)
    newest = Math.max(newest ?? 0, items.at(-1)?.at ?? 0)
    return items
  }

  return {
    getSessionId: async () => conversation,
    async getItems(limit) {
      const items = (await storedItems()).map(({ item }) => item)
      return limit === undefined ? items : items.slice(Math.max(0, items.length - limit))
    },
    async addItems(items) {
      if (items.length === 0) return
      if (newest === null) await storedItems()
      const first = Math.max(Date.now(), (newest ?? 0) + 1)
      newest = first + items.length - 1
      const messages = items.map((item, place) => ({
        ...authorOf(item, { user, agent }),
        at: timeOf(first + place),
        text: textOf(item),
        metadata: { [label]: JSON.stringify(item) },
      }))
      await space.add(messages, { conversation })
    },
    async popItem() {
      const last = (await storedItems()).at(-1)
      if (last === undefined) return undefined
      const [from, to] = [timeOf(last.at), timeOf(last.at + 1)]
      await space.retract({ conversation, from, to, by: label, role: 'agent', reason: 'popItem' })
      return last.item
    },
    async clearSession() {
      await space.retract({ conversation, by: label, role: 'agent', reason: 'clearSession' })
    },
  }
}

function storedItemIn({ at, labels }: ListedMemory): readonly StoredItem[] {
  const named = (labels as readonly string[]).map((each): readonly [string, string] => JSON.parse(each))
  const [, json] = named.find(([name]) => name === label) ?? []
  return json === undefined || at === null ? [] : [{ at, item: JSON.parse(json) }]
}

/** The fields that items have in common. */
interface LooseItem {
  readonly type?: string
  readonly role?: string
  readonly name?: string
  readonly content?: unknown
  readonly arguments?: unknown
  readonly output?: unknown
}

function authorOf(item: AgentInputItem, { user, agent }: { readonly user: string; readonly agent: string }) {
  const { role, type = 'message', name } = item as LooseItem
  if (role === 'user') return { speaker: user, role: 'human' } as const
  if (role === 'system') return { speaker: 'system', role: 'system' } as const
  if (/_(result|output)$/.test(type)) return { speaker: name ?? 'tool', role: 'tool' } as const
  return { speaker: agent, role: 'agent' } as const
}

/** The words of the item, or its type: a text is never empty. */
function textOf(item: AgentInputItem): string {
  const { type = 'message', name, content, arguments: input, output } = item as LooseItem
  const isCall = typeof input === 'string'
  const words = isCall ? `${name}(${input})` : type === 'reasoning' ? '' : wordsOf(content ?? output)
  return words.trim() === '' ? `(${type})` : words.slice(0, maxTextChars)
}

function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(wordsOf).join('\n')
  const { text, refusal, transcript } = (content ?? {}) as { readonly [field: string]: unknown }
  return [text, refusal, transcript].filter((words) => typeof words === 'string').join('\n')
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
