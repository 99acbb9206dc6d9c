/** Places in the page, as the fragment of its address: reload, back, forward and links work. */
import { useSyncExternalStore } from 'react'

export const spaceViews = ['stream', 'documents', 'timelines', 'search', 'context'] as const
export type SpaceView = (typeof spaceViews)[number]

export type PagePlace =
  | { readonly at: 'spaces' | 'generations' | 'operations' }
  | { readonly at: 'space'; readonly space: string; readonly view: SpaceView; readonly item: string | null }
  | { readonly at: 'why'; readonly space: string; readonly id: string }

function placeFrom(hash: string): PagePlace {
  const [first, space, view, item] = hash.replace(/^#\/?/, '').split('/').map(decoded)
  if (first === 'generations' || first === 'operations') return { at: first }
  if (first !== 'spaces' || !space) return { at: 'spaces' }
  if (view === 'why' && item) return { at: 'why', space, id: item }
  const known = spaceViews.find((each) => each === view) ?? 'stream'
  return { at: 'space', space, view: known, item: item ?? null }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function spaceLink(space: string, view: SpaceView = 'stream', item: string | null = null): string {
  return `#/spaces/${encodeURIComponent(space)}/${view}${item === null ? '' : `/${encodeURIComponent(item)}`}`
}

export function whyLink(space: string, id: string): string {
  return `#/spaces/${encodeURIComponent(space)}/why/${encodeURIComponent(id)}`
}

function subscribe(onChange: () => void): () => void {
  addEventListener('hashchange', onChange)
  return () => removeEventListener('hashchange', onChange)
}

export function usePlace(): PagePlace {
  return placeFrom(useSyncExternalStore(subscribe, () => location.hash))
}
