/**
 * The memories of mem0 in a space: each is a message, an utterance with its owner, its id and its metadata as labels. A
 * changed memory is a new utterance at the time of the old one, which is retracted with everything derived from it.
 * Every call reads the space after every earlier write, of any process.
 */
import type { ListedMemory } from '@loomlog/client/api'
import type { MemorySpace } from '@loomlog/client/memory'
import { hash } from '@loomlog/schemas/ids'
import { conversationOf, type Item, isFields, personOf, type StoredMemory } from './mem0-items.ts'

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
  /** When it was spoken, in ms since 1970: messages of one call are one ms apart, which is their order. */
  readonly at: number
}

const label = 'mem0'
const pageItems = 500
/** Most memories of a recall. */
const maxRanked = 200
/** Most conversations of a recall. */
const maxConversations = 100
/** Most utterances of a retraction. */
const maxRetracted = 1_000
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

  /**
   * Best first, and every memory that is meant: those that recall doesn't rank come last. Only their
   * conversations are searched.
   */
  async search(
    query: string,
    isMeant: (item: Item) => boolean,
  ): Promise<readonly (Version & { readonly score: number })[]> {
    const meant = (await this.items()).filter(isMeant)
    const conversations = new Set(meant.map((version) => version.conversation))
    const scores = new Map<string, number>()
    for (const conversation of parts([...conversations], maxConversations)) {
      const { memories } = await this.#space.recall(query, { conversation, limit: maxRanked })
      for (const { id, score } of memories) scores.set(id, score)
    }
    return meant
      .map((version) => ({ ...version, score: scores.get(version.utterance) ?? 0 }))
      .toSorted((a, b) => b.score - a.score)
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

  /** Retracts these memories in every version that `items` has read, also those whose retraction was refused before. */
  async retract(isMeant: (item: Item) => boolean, reason: string): Promise<void> {
    const meant = this.#current.filter(isMeant).map(({ utterance }) => utterance)
    for (const utterances of parts(meant, maxRetracted))
      await this.#space.retract({ utterances, ...this.#author, reason })
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
          : ({ speaker: 'tool', role: 'tool' } as const)
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
  const stored = json === undefined || at === null ? null : storedIn(json, conversation)
  if (stored === null || at === null) return []
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

/** Null: an utterance of another program that has a label of this name. It isn't in the conversation of its owner. */
function storedIn(json: string, conversation: string): StoredMemory | null {
  try {
    const stored: StoredMemory | null = JSON.parse(json)
    return isFields(stored?.owner) && conversationOf(stored.owner) === conversation ? stored : null
  } catch {
    return null
  }
}

function parts<T>(list: readonly T[], length: number): readonly (readonly T[])[] {
  const count = Math.ceil(list.length / length)
  return Array.from({ length: count }, (_, part) => list.slice(part * length, (part + 1) * length))
}
