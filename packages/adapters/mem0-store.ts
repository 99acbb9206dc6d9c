/**
 * The memories of mem0 in a space: each is a message, an utterance with its owner, its id and its metadata as labels. A
 * changed memory is a new utterance at the time of the old one, which is retracted with everything derived from it.
 * Every call reads the space after every earlier write, of any process.
 */
import type { ListedMemory } from '@loomlog/client/api'
import type { MemorySpace } from '@loomlog/client/memory'
import { hash } from '@loomlog/schemas/ids'
import { conversationOf, type Fields, type Item, labelsOf, personOf, type StoredMemory, selects } from './mem0-items.ts'

export interface Version extends Item {
  /** The id of the utterance. */
  readonly utterance: string
  readonly conversation: string
  readonly speaker: string
  /** The time of the utterance, in ms since 1970. */
  readonly at: number
  /** When it was retracted, in ms since 1970; null: it is current. */
  readonly knownTo: number | null
}

export interface NewMemory extends Item {
  /** When it was spoken, in ms since 1970. */
  readonly at: number
}

const label = 'mem0'
const pageItems = 500
/** Most memories of a recall. */
const maxRanked = 200
/** Longest wait until written messages can be read. */
const waitMs = 30_000

export class Mem0Store {
  readonly #space: MemorySpace
  /** As far as read. */
  #current: readonly Version[] = []

  constructor(space: MemorySpace) {
    this.#space = space
  }

  /** The current memories in the order of their times. */
  async items(): Promise<readonly Version[]> {
    this.#current = await this.#read('current')
    return [...new Map(this.#current.map((version) => [version.id, version])).values()]
  }

  /** Every version of a memory, the oldest first. */
  async versions(id: string): Promise<readonly Version[]> {
    return (await this.#read('all')).filter((version) => version.id === id)
  }

  /** Best first. */
  async search(query: string, filters: Fields): Promise<readonly (Version & { readonly score: number })[]> {
    const current = new Map((await this.items()).map((version) => [version.utterance, version]))
    const metadata = labelsOf(filters)
    const { memories } = await this.#space.recall(query, { ...(metadata.length > 0 && { metadata }), limit: maxRanked })
    return memories.flatMap(({ id, score }) => {
      const version = current.get(id)
      return version !== undefined && selects(filters, version) ? [{ ...version, score }] : []
    })
  }

  /** In order. Durable on return. */
  async add(memories: readonly NewMemory[]): Promise<void> {
    const byConversation = Map.groupBy(memories, ({ owner }) => conversationOf(owner))
    for (const [conversation, added] of byConversation)
      await this.#space.add(
        added.map((memory) => this.#messageOf(memory)),
        { conversation },
      )
  }

  /** Retracts a memory in every version that `items` has read. */
  async retract({ id }: Version, reason: string): Promise<void> {
    const utterances = this.#current.filter((version) => version.id === id).map(({ utterance }) => utterance)
    await this.#space.retract({ utterances, ...this.#author, reason })
  }

  async retractConversation(conversation: string, reason: string): Promise<void> {
    await this.#space.retract({ conversation, ...this.#author, reason })
  }

  /** The program acts for its users: so what their words led to is retracted, too. */
  readonly #author = { by: label, role: 'human' } as const

  #messageOf({ text, at, ...stored }: NewMemory) {
    const { owner, attributedTo } = stored
    const author =
      attributedTo === 'user'
        ? ({ speaker: personOf(owner), role: 'human' } as const)
        : attributedTo === 'assistant'
          ? ({ speaker: owner.agent_id ?? 'assistant', role: 'agent' } as const)
          : ({ speaker: attributedTo, role: 'tool' } as const)
    const metadata = { ...owner, [label]: JSON.stringify(stored) }
    return { id: crypto.randomUUID(), ...author, text, at: new Date(at).toISOString(), metadata }
  }

  async #read(state: 'current' | 'all'): Promise<readonly Version[]> {
    const space = this.#space
    // Is in the log once. Each further time it only gives the position after every write.
    const opening = { id: hash([label]), speaker: label, role: 'system', text: '(mem0)' } as const
    const { position } = await space.add(opening, { conversation: label })
    // The cheapest call that waits for the views; its result is of no use.
    await space.recall(label, { after: position, wait: waitMs, kind: 'document', limit: 1 })
    const versions: Version[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await space.list({ kind: 'utterance', state, limit: pageItems, cursor })
      versions.push(...page.memories.flatMap(versionIn))
      cursor = page.next
    }
    // Versions of one memory have one time, and stay in the order of the log.
    return versions.toSorted((a, b) => a.at - b.at)
  }
}

function versionIn({ id, conversation, speaker, text, at, labels, knownTo }: ListedMemory): readonly Version[] {
  const named = (labels as readonly string[]).map((each): readonly [string, string] => JSON.parse(each))
  const [, json] = named.find(([name]) => name === label) ?? []
  if (json === undefined || at === null) return []
  const stored: StoredMemory = JSON.parse(json)
  return [
    {
      ...stored,
      text: text.slice(`${speaker}: `.length),
      utterance: id,
      conversation,
      speaker,
      at,
      knownTo,
    },
  ]
}
