/**
 * The utterances, boxes and facts of a space in the page. Rows of the views and events of the feed arrive in any order
 * and repeatedly: the last word on a memory wins, and a retirement is kept. A conversation is a new object after a
 * change in it and the same one otherwise, so that only its rows are made again.
 */
import type { FeedEvent } from '@loomlog/client/api'
import type { Box, Fact, Utterance } from './memory.ts'

export interface Conversation {
  readonly name: string
  /** In the order of their times. */
  readonly utterances: readonly Utterance[]
  readonly lastAt: number
  /** Utterances that arrived while the page was open. */
  readonly fresh: number
  /** The newest time of the others: a list in its order doesn't move while utterances arrive. */
  readonly orderedBy: number
}

export interface Snapshot {
  /** Rises with each change of documents, entries or timelines in the feed. */
  readonly derivedVersion: number
  readonly conversations: ReadonlyMap<string, Conversation>
  readonly utterances: ReadonlyMap<string, Utterance>
  readonly boxes: ReadonlyMap<string, Box>
  /** By utterance. */
  readonly boxOf: ReadonlyMap<string, string>
  readonly factsOf: ReadonlyMap<string, readonly Fact[]>
  readonly facts: ReadonlyMap<string, Fact>
  /** Ids of memories that arrived while the page was open. */
  readonly fresh: ReadonlySet<string>
}

export class SpaceStore {
  readonly #utterances = new Map<string, Utterance>()
  readonly #boxes = new Map<string, Box>()
  readonly #facts = new Map<string, Fact>()
  readonly #boxOf = new Map<string, string>()
  readonly #factsOf = new Map<string, readonly Fact[]>()
  readonly #fresh = new Set<string>()
  readonly #listeners = new Set<() => void>()
  /** Utterances that are not in a conversation yet, by its name; an empty list: only its boxes or facts changed. */
  readonly #changed = new Map<string, Utterance[]>()
  #derivedVersion = 0
  #isAnnounced = false
  #snapshot: Snapshot

  constructor() {
    this.#snapshot = this.#take(new Map())
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): Snapshot => this.#snapshot

  addUtterances(utterances: readonly Utterance[], origin: 'view' | 'live'): void {
    for (const utterance of utterances) {
      if (this.#utterances.has(utterance.id)) continue
      this.#utterances.set(utterance.id, utterance)
      if (origin === 'live') this.#fresh.add(utterance.id)
      this.#change(utterance.conversation).push(utterance)
    }
    this.#announce()
  }

  addBoxes(boxes: readonly Box[]): void {
    for (const box of boxes) this.#putBox(box)
    this.#announce()
  }

  addFacts(facts: readonly Fact[]): void {
    for (const fact of facts) this.#putFact(fact)
    this.#announce()
  }

  /** Whether the utterance is here. */
  has(id: string): boolean {
    return this.#utterances.has(id)
  }

  apply(events: readonly FeedEvent[]): void {
    for (const event of events) {
      const { type } = event
      if (type === 'loomlog.topic.sealed' || type === 'loomlog.topic.retracted') {
        const { memory: id, conversation, topic, utterances, startedAt, endedAt } = event.data
        const isRetired = type === 'loomlog.topic.retracted'
        const known = this.#boxes.get(id)
        const { cut = null, method = null } = known ?? {}
        this.#fresh.add(id)
        this.#putBox({ id, conversation, topic, sources: utterances, startedAt, endedAt, cut, method, isRetired })
      } else if (type === 'loomlog.fact.recorded' || type === 'loomlog.fact.retracted') {
        const { memory: id, box, conversation, text, kind, sources, when, statedBy, because } = event.data
        this.#fresh.add(id)
        const retired = type === 'loomlog.fact.retracted' ? because : null
        const correctedBy = statedBy?.by ?? null
        this.#putFact({
          id,
          box,
          conversation,
          text,
          type: kind,
          sources,
          when: when as Fact['when'],
          correctedBy,
          retired,
        })
      } else if (type !== 'loomlog.progress.marked') this.#derivedVersion += 1
    }
    this.#announce()
  }

  #putBox(box: Box): void {
    this.#boxes.set(box.id, box)
    this.#change(box.conversation)
    for (const id of box.sources) {
      if (!box.isRetired) this.#boxOf.set(id, box.id)
      else if (this.#boxOf.get(id) === box.id) this.#boxOf.delete(id)
    }
  }

  #putFact(fact: Fact): void {
    const { retired = null } = this.#facts.get(fact.id) ?? {}
    // A row of the view may be older than the feed.
    const kept = fact.retired === 'retired' && retired !== null ? { ...fact, retired } : fact
    this.#facts.set(fact.id, kept)
    this.#change(fact.conversation)
    for (const source of fact.sources) {
      const others = (this.#factsOf.get(source) ?? []).filter(({ id }) => id !== fact.id)
      this.#factsOf.set(source, [...others, kept])
    }
  }

  #change(conversation: string): Utterance[] {
    const added = this.#changed.get(conversation) ?? []
    this.#changed.set(conversation, added)
    return added
  }

  /** One notice a frame, at most, and none without a change. */
  #announce(): void {
    const hasChanged = this.#changed.size > 0 || this.#derivedVersion > this.#snapshot.derivedVersion
    if (this.#isAnnounced || !hasChanged) return
    this.#isAnnounced = true
    requestAnimationFrame(() => {
      this.#isAnnounced = false
      const conversations = new Map(this.#snapshot.conversations)
      for (const [name, added] of this.#changed) {
        const changed = conversationWith(conversations.get(name) ?? emptyConversation(name), added, this.#fresh)
        if (changed.utterances.length > 0) conversations.set(name, changed)
      }
      this.#changed.clear()
      this.#snapshot = this.#take(conversations)
      for (const listener of this.#listeners) listener()
    })
  }

  /** The other maps are shared by all snapshots. */
  #take(conversations: ReadonlyMap<string, Conversation>): Snapshot {
    return {
      conversations,
      derivedVersion: this.#derivedVersion,
      utterances: this.#utterances,
      boxes: this.#boxes,
      facts: this.#facts,
      boxOf: this.#boxOf,
      factsOf: this.#factsOf,
      fresh: this.#fresh,
    }
  }
}

const emptyConversation = (name: string): Conversation => ({ name, utterances: [], lastAt: 0, fresh: 0, orderedBy: 0 })

function conversationWith(
  before: Conversation,
  added: readonly Utterance[],
  isFresh: ReadonlySet<string>,
): Conversation {
  let { lastAt, fresh, orderedBy } = before
  for (const { id, at } of added) {
    lastAt = Math.max(lastAt, at)
    if (isFresh.has(id)) fresh += 1
    else orderedBy = Math.max(orderedBy, at)
  }
  const utterances =
    added.length === 0
      ? before.utterances
      : [...before.utterances, ...added].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  return { name: before.name, utterances, lastAt, fresh, orderedBy }
}
