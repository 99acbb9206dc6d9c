/** The store of the open space, loaded and followed while the space is open. */
import type { ListedMemory } from '@loomlog/client/api'
import { path } from '@loomlog/client/loomlog-client'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import type { StreamState } from '../live-stream.ts'
import type { Session } from '../session.ts'
import { loadSpace } from './load-space.ts'
import { boxOf } from './memory.ts'
import { type Snapshot, SpaceStore } from './space-store.ts'

export interface OpenSpace {
  readonly space: string
  readonly session: Session
  readonly store: SpaceStore
  readonly loaded: { readonly first: boolean; readonly all: boolean; readonly hasOlder: boolean }
  readonly streams: { readonly utterances: StreamState; readonly feed: StreamState | 'not-allowed' }
  readonly error: Error | null
  /** Reads the row of a box for what the feed lacks. */
  readonly readBox: (id: string, signal: AbortSignal) => Promise<void>
}

const context = createContext<OpenSpace | null>(null)

export function useSpace(): OpenSpace {
  const open = useContext(context)
  if (open === null) throw new Error('there is no open space here')
  return open
}

export function useSnapshot(): Snapshot {
  const { store } = useSpace()
  return useSyncExternalStore(store.subscribe, store.snapshot)
}

interface OfSpace {
  readonly space: string
  readonly session: Session
  readonly children: ReactNode
}

export function SpaceProvider({ space, session, children }: OfSpace) {
  // A store belongs to one space: the parent gives the space as the key of this element.
  const store = useMemo(() => new SpaceStore(), [])
  const [loaded, setLoaded] = useState<OpenSpace['loaded']>({ first: false, all: false, hasOlder: true })
  const isSubscriber = session.rights.scopes.includes('subscribe')
  const [streams, setStreams] = useState<OpenSpace['streams']>({
    utterances: 'paused',
    feed: isSubscriber ? 'paused' : 'not-allowed',
  })
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    void loadSpace({
      space,
      session,
      store,
      signal: ended.signal,
      onLoaded: setLoaded,
      onStream: (name, state) => setStreams((before) => ({ ...before, [name]: state })),
      onError: (failure) => setError(failure as Error),
    })
    return () => ended.abort()
  }, [space, session, store])
  const readBox = useCallback(
    async (id: string, signal: AbortSignal) => {
      const row = path`/v1/spaces/${space}/memories/${id}`
      const { memory } = await session.client.get<{ memory: ListedMemory }>(row, {}, { signal })
      store.addBoxes([boxOf(memory)])
    },
    [space, session, store],
  )
  const open = useMemo(
    () => ({ space, session, store, loaded, streams, error, readBox }),
    [space, session, store, loaded, streams, error, readBox],
  )
  return <context.Provider value={open}>{children}</context.Provider>
}
