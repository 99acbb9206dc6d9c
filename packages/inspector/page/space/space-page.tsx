/** A space: its views behind tabs, and the state of its streams. */
import { lazy, Suspense, useEffect, useRef } from 'react'
import type { StreamState } from '../live-stream.ts'
import { type PagePlace, type SpaceView, spaceLink, spaceViews } from '../page-places.ts'
import { Failure, Waiting } from '../parts/notices.tsx'
import type { Session } from '../session.ts'
import { ContextView } from './context-view.tsx'
import { DocumentsView } from './documents-view.tsx'
import { SearchView } from './search-view.tsx'
import { StreamView } from './stream-view.tsx'
import { TimelinesView } from './timelines-view.tsx'
import { SpaceProvider, useSpace } from './use-space.tsx'

/** The graph's library is as large as the rest of the page. */
const WhyView = lazy(() => import('./why-view.tsx'))

type SpacePlace = Extract<PagePlace, { space: string }>

const names: { readonly [view in SpaceView]: string } = {
  stream: 'Live',
  documents: 'Documents',
  timelines: 'Timelines',
  search: 'Search',
  context: 'Context',
}

export function SpacePage({ place, session }: { readonly place: SpacePlace; readonly session: Session }) {
  const current = place.at === 'space' ? place.view : null
  const tabs = useRef<HTMLElement>(null)
  // On a narrow page the tabs scroll.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current view is the reason to scroll
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  return (
    <SpaceProvider space={place.space} session={session}>
      <nav ref={tabs} className="tabs" aria-label="Views of the space">
        {spaceViews.map((view) => (
          <a key={view} href={spaceLink(place.space, view)} aria-current={view === current ? 'page' : undefined}>
            {names[view]}
          </a>
        ))}
        {place.at === 'why' && (
          <a href={location.hash} aria-current="page">
            Why
          </a>
        )}
        <Streams />
      </nav>
      <main className="space">
        <Problem />
        <View place={place} />
      </main>
    </SpaceProvider>
  )
}

function View({ place }: { readonly place: SpacePlace }) {
  if (place.at === 'why')
    return (
      <Suspense fallback={<Waiting what="the sources" />}>
        <WhyView key={place.id} id={place.id} />
      </Suspense>
    )
  switch (place.view) {
    case 'stream':
      return <StreamView conversation={place.item} />
    case 'documents':
      return <DocumentsView document={place.item} />
    case 'timelines':
      return <TimelinesView />
    case 'search':
      return <SearchView question={place.item} />
    case 'context':
      return <ContextView question={place.item} />
  }
}

function Problem() {
  const { error } = useSpace()
  return error === null ? null : <Failure error={error} />
}

const stateTexts: { readonly [state in StreamState | 'not-allowed']: string } = {
  live: 'live',
  paused: 'paused',
  away: 'no connection, tried again',
  'not-allowed': 'the key lacks the scope subscribe',
}

function Streams() {
  const { streams } = useSpace()
  const { utterances, feed } = streams
  const isSame = utterances === feed
  const words = isSame ? stateTexts[feed] : `utterances ${stateTexts[utterances]}; memories: ${stateTexts[feed]}`
  return (
    <span className={isSame && feed === 'live' ? 'streams is-live' : 'streams'} role="status">
      {words}
    </span>
  )
}
