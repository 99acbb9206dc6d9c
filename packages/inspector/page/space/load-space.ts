/**
 * Fills the store of a space: first the newest page of each kind, then the older ones, while the streams bring new
 * ones. The views may be behind the log, so the newest pages are read again until they bring nothing new.
 */
import type { FeedEvent, ListedMemory, MemoryPage } from '@loomlog/client/api'
import { path } from '@loomlog/client/loomlog-client'
import { followStream, type StreamState } from '../live-stream.ts'
import type { Session } from '../session.ts'
import { boxOf, factOf, type Utterance, utteranceOf } from './memory.ts'
import type { SpaceStore } from './space-store.ts'

export interface SpaceLoad {
  readonly space: string
  readonly session: Session
  readonly store: SpaceStore
  readonly signal: AbortSignal
  onLoaded(state: { readonly first: boolean; readonly all: boolean; readonly hasOlder: boolean }): void
  onStream(name: 'utterances' | 'feed', state: StreamState): void
  onError(error: unknown): void
}

/** The first page of a kind is small, since nothing is shown before it is here. */
const firstItems = 100
const pageItems = 500
/** Most pages of a kind that the page holds. */
const mostPages = 40
/** Waits before the newest pages are read again; the last one is repeated while there was news. */
const catchUpMs = [1_500, 3_000, 6_000, 10_000]
const types = [
  'topic.sealed',
  'topic.retracted',
  'fact.recorded',
  'fact.retracted',
  'document.changed',
  'profile.changed',
]
  .concat([
    'entry.recorded',
    'entry.retracted',
    'events.linked',
    'events.unlinked',
    'generation.switched',
    'subject.forgotten',
  ])
  .map((type) => `type=loomlog.${type}`)
  .join('&')

export async function loadSpace(load: SpaceLoad): Promise<void> {
  const { session, space, store, signal, onStream, onLoaded, onError } = load
  const { scopes } = session.rights
  const feedOf = (name: string) => path`/v1/spaces/${space}/` + name
  const common = { session, signal, onReplaced: () => location.reload() }
  followStream<Utterance>({
    ...common,
    path: feedOf('utterances'),
    onItems: (items) => store.addUtterances(items, 'live'),
    onState: (state) => onStream('utterances', state),
  }).catch(onError)
  if (scopes.includes('subscribe')) {
    followStream<FeedEvent>({
      ...common,
      path: `${feedOf('feed')}?${types}`,
      onItems: (items) => {
        // Forgotten memories leave the page too: it begins again with those that are kept.
        if (items.some(({ type }) => type === 'loomlog.subject.forgotten')) location.reload()
        else store.apply(items)
      },
      onState: (state) => onStream('feed', state),
    }).catch(onError)
  }
  try {
    const kinds = ['utterance', 'box', 'fact'] as const
    const rest = await Promise.all(kinds.map(async (kind) => add(kind, await pageOf(kind, firstItems), load)))
    onLoaded({ first: true, all: false, hasOlder: true })
    let hasOlder = false
    for (const [at, kind] of kinds.entries()) {
      let next = rest[at] ?? null
      for (let pages = 1; next !== null && pages < mostPages && !signal.aborted; pages++)
        next = add(kind, await pageOf(kind, pageItems, next), load)
      hasOlder ||= next !== null
    }
    onLoaded({ first: true, all: true, hasOlder })
    await catchUp()
  } catch (error) {
    if (!signal.aborted) onError(error)
  }

  /** Ends once a wait brought nothing new. */
  async function catchUp(): Promise<void> {
    let hasNews = true
    for (let waits = 0; hasNews || waits < catchUpMs.length; waits++) {
      await new Promise((resolve) => setTimeout(resolve, catchUpMs[Math.min(waits, catchUpMs.length - 1)]))
      hasNews = false
      for (let cursor: string | null | undefined; cursor !== null && !signal.aborted; ) {
        const page = await pageOf('utterance', firstItems, cursor)
        const isNews = page.memories.some(({ id }) => !store.has(id))
        hasNews ||= isNews
        cursor = add('utterance', page, load)
        if (!isNews) break
      }
      if (signal.aborted) return
    }
  }

  function pageOf(kind: string, limit: number, cursor?: string): Promise<MemoryPage> {
    const state = kind === 'utterance' ? 'current' : 'all'
    const query = { kind, state, order: 'newest', limit, ...(cursor !== undefined && { cursor }) }
    return session.client.get(path`/v1/spaces/${space}/memories`, query, { signal })
  }
}

/** Returns the cursor of the next page. */
function add(kind: 'utterance' | 'box' | 'fact', { memories, next }: MemoryPage, { store }: SpaceLoad): string | null {
  const spoken = (row: ListedMemory) => row['correction'] === null
  if (kind === 'utterance') store.addUtterances(memories.filter(spoken).map(utteranceOf), 'view')
  else if (kind === 'box') store.addBoxes(memories.map(boxOf))
  else store.addFacts(memories.map(factOf))
  return next
}
