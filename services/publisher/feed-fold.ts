/**
 * For tests: a subscriber that folds the feed into the live memories of each space, and asserts the promises of a feed.
 */
import assert from 'node:assert/strict'
import type { PublishedEvent } from '@loomlog/schemas/events'

export interface FoldedSpace {
  generation: string | null
  marked: number
  /** `kind/id` to a text that shows the content. */
  readonly memories: Map<string, string>
}

export function foldFeed(events: readonly PublishedEvent[]): ReadonlyMap<string, FoldedSpace> {
  const spaces = new Map<string, FoldedSpace>()
  const ids = new Set<string>()
  for (const event of events) {
    assert.ok(!ids.has(event.id), `${event.type} ${event.id} is published twice`)
    ids.add(event.id)
    const key = `${event.tenant}/${event.space}`
    const space = spaces.get(key) ?? { generation: null, marked: 0, memories: new Map() }
    spaces.set(key, space)
    apply(event, space)
    assert.equal(event.generation, space.generation)
  }
  return spaces
}

function apply(event: PublishedEvent, space: FoldedSpace): void {
  if (event.type === 'GenerationSwitched') {
    assert.equal(event.from, space.generation)
    space.generation = event.generation
    space.marked = event.upTo
  } else if (event.type === 'ProgressMarked') {
    assert.ok(event.upTo > space.marked, `a mark at ${event.upTo} follows one at ${space.marked}`)
    space.marked = event.upTo
  } else if (event.type === 'ForgettingPublished') {
    assert.equal(space.memories.size, 0, `memories stay after the forgetting ${event.forgetting}`)
  } else if (event.type !== 'CorrectionPublished') {
    const [kind, content] = shown(event)
    const memory = `${kind}/${event.memory}`
    if (event.change === 'inserted') {
      assert.ok(!space.memories.has(memory), `${memory} joins twice`)
      space.memories.set(memory, content)
    } else {
      assert.equal(space.memories.get(memory), content, `${memory} leaves with another content`)
      space.memories.delete(memory)
    }
  }
}

type MemoryEvent = Extract<PublishedEvent, { memory: string }>

function shown(event: MemoryEvent): readonly [kind: string, content: string] {
  switch (event.type) {
    case 'TopicPublished':
      return ['topic', event.utterances.join()]
    case 'LinkPublished':
      return ['link', event.title]
    case 'EntryPublished':
      return ['entry', `${event.title}: ${event.text}`]
    case 'DocumentPublished':
      return ['document', `${event.title}: ${event.summary}`]
    case 'FactPublished':
      return ['fact', event.text]
    case 'EventPublished':
      return ['event', event.text]
  }
}
