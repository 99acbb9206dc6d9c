/**
 * The conversations of a space, live: utterances as they are appended, the boxes that hold them, and the facts beside
 * their sources. The list is virtual, and stays at its end while one reads there.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { spaceLink } from '../page-places.ts'
import { Empty, Waiting } from '../parts/notices.tsx'
import { momentText, plural } from '../parts/words.ts'
import type { Conversation } from './space-store.ts'
import { StreamRowView } from './stream-row.tsx'
import { conversationsIn, rowsOf, type StreamRow } from './stream-rows.ts'
import { useSnapshot, useSpace } from './use-space.tsx'

const rowHeights: { readonly [kind in StreamRow['kind']]: number } = { box: 64, open: 48, utterance: 76 }
/** Nearer to the end than this, in px, counts as the end. */
const endSlackPx = 48

export function StreamView({ conversation }: { readonly conversation: string | null }) {
  const { space, loaded } = useSpace()
  const snapshot = useSnapshot()
  const conversations = useMemo(() => conversationsIn(snapshot), [snapshot])
  const shown = conversation ?? conversations[0]?.name ?? null
  const said = snapshot.conversations.get(shown ?? '') ?? null
  // The maps of all snapshots are the same: the rows change with the conversation alone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change in the conversation is the reason
  const rows = useMemo(() => rowsOf(said, snapshot), [said])
  if (!loaded.first && conversations.length === 0) return <Waiting what="the space" />
  if (conversations.length === 0) {
    return (
      <Empty title="Nothing is said here yet" code={lines(space)}>
        An utterance appears here as soon as it is appended. These lines append one:
      </Empty>
    )
  }
  return (
    <div className="stream-view">
      <Conversations conversations={conversations} shown={shown} />
      <Rows key={shown} name={shown ?? ''} rows={rows} />
    </div>
  )
}

const lines = (space: string) => `import { connect } from '@loomlog/client'
const memory = connect({ url: '${location.origin}' })
await memory.space('${space}').add({ conversation: 'first', speaker: 'Ada', text: 'I live in Lisbon.' })`

interface OfConversations {
  readonly conversations: readonly Conversation[]
  readonly shown: string | null
}

/** A list; on a narrow page a choice. */
function Conversations({ conversations, shown }: OfConversations) {
  const { space, loaded } = useSpace()
  const size = conversations.reduce((sum, { utterances }) => sum + utterances.length, 0)
  return (
    <aside className="conversations">
      <h2>{plural(conversations.length, 'conversation')}</h2>
      <select
        aria-label="Conversation"
        value={shown ?? ''}
        onChange={({ target }) => {
          location.hash = spaceLink(space, 'stream', target.value)
        }}
      >
        {conversations.map(({ name, utterances }) => (
          <option key={name} value={name}>
            {name} · {utterances.length}
          </option>
        ))}
      </select>
      <ul>
        {conversations.map(({ name, utterances, lastAt, fresh }) => (
          <li key={name}>
            <a href={spaceLink(space, 'stream', name)} aria-current={name === shown ? 'true' : undefined}>
              <span className="name">{name}</span>
              <span className="new">{fresh > 0 && `${fresh} new`}</span>
              <span className="about">
                {plural(utterances.length, 'utterance')} · {momentText(lastAt)}
              </span>
            </a>
          </li>
        ))}
      </ul>
      <p className="hint">
        {loaded.all
          ? loaded.hasOlder
            ? `the newest ${plural(size, 'utterance')}`
            : plural(size, 'utterance')
          : 'reading older utterances…'}
      </p>
    </aside>
  )
}

function Rows({ name, rows }: { readonly name: string; readonly rows: readonly StreamRow[] }) {
  const scroller = useRef<HTMLElement>(null)
  const [isAtEnd, setIsAtEnd] = useState(true)
  const seen = useRef(rows.length)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => rowHeights[rows[at]?.kind ?? 'utterance'],
    getItemKey: (at) => rows[at]?.id ?? at,
    overscan: 8,
  })
  const total = virtual.getTotalSize()
  // Measured rows change the length too: the end is kept in view through all of it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the length is the reason to scroll
  useLayoutEffect(() => {
    const element = scroller.current
    if (isAtEnd && element !== null) element.scrollTop = element.scrollHeight
  }, [isAtEnd, total])
  useEffect(() => {
    if (isAtEnd) seen.current = rows.length
  }, [isAtEnd, rows.length])
  const unseen = Math.max(0, rows.length - seen.current)
  return (
    <div className="rows-frame">
      <section
        className="rows"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
        tabIndex={0}
        aria-label={`Conversation ${name}`}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          setIsAtEnd(scrollHeight - scrollTop - clientHeight < endSlackPx)
        }
      >
        <ol style={{ height: total }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index]
            return row === undefined ? null : (
              <li
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)` }}
              >
                <StreamRowView row={row} />
              </li>
            )
          })}
        </ol>
      </section>
      {!isAtEnd && (
        <button type="button" className="to-end" onClick={() => setIsAtEnd(true)}>
          {unseen === 0 ? 'To the newest' : `${plural(unseen, 'new row')} below`}
        </button>
      )}
    </div>
  )
}
