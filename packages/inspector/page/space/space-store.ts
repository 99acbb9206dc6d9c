/**
 * The utterances, boxes and facts of a space in the page. Rows of the views and events of the feed arrive in any order
 * and repeatedly: the last word on a memory wins, and a retirement is kept.
 */
import type { FeedEvent } from '@loomlog/client/api'
import type { Box, Fact, Utterance } from './memory.ts'

export interface Snapshot {
  readonly version: number
  /** Rises with each change of documents, entries or timelines in the feed. */
  readonly derivedVersion: number
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
  #derivedVersion = 0
  #isAnnounced = false
  #snapshot: Snapshot

  constructor() {
    this.#snapshot = this.#take(0)
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
    for (const source of fact.sources) {
      const others = (this.#factsOf.get(source) ?? []).filter(({ id }) => id !== fact.id)
      this.#factsOf.set(source, [...others, kept])
    }
  }

  /** One notice a frame, at most. */
  #announce(): void {
    if (this.#isAnnounced) return
    this.#isAnnounced = true
    requestAnimationFrame(() => {
      this.#isAnnounced = false
      this.#snapshot = this.#take(this.#snapshot.version + 1)
      for (const listener of this.#listeners) listener()
    })
  }

  /** The maps are shared: `version` tells of a change. */
  #take(version: number): Snapshot {
    return {
      version,
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
