/** Documents and profiles as pages: entries under their headings with citations, and the entries that they replaced. */
import type { ListedMemory, MemoryPage } from '@loomlog/client/api'
import { path } from '@loomlog/client/loomlog-client'
import { spaceLink, whyLink } from '../page-places.ts'
import { Cites } from '../parts/cite.tsx'
import { Empty, Failure, Waiting } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { dayText, momentText, plural } from '../parts/words.ts'
import type { Entry } from './memory.ts'
import { useSnapshot, useSpace } from './use-space.tsx'

/** The pages of a kind, to the end. */
function useKind(kind: string, state: 'current' | 'all') {
  const { space, session } = useSpace()
  const snapshot = useSnapshot()
  return useReply(
    async (signal) => {
      const all: ListedMemory[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { kind, state, limit: 500, ...(cursor !== undefined && { cursor }) }
        const page = await session.client.get<MemoryPage>(path`/v1/spaces/${space}/memories`, query, { signal })
        all.push(...page.memories)
        cursor = page.next
      }
      return all
    },
    [space, session, kind, state, snapshot.derivedVersion],
  )
}

export function DocumentsView({ document }: { readonly document: string | null }) {
  const { space } = useSpace()
  const documents = useKind('document', 'current')
  if (documents.state === 'failed') return <Failure error={documents.error} />
  if (documents.state === 'waiting') return <Waiting what="the documents" />
  const all = documents.value.toSorted((a, b) => Number(b['entries']) - Number(a['entries']))
  const shown = all.find(({ id }) => id === document) ?? all[0]
  if (shown === undefined) {
    return (
      <Empty title="No document yet" code={lines(space)}>
        Facts on one topic or person become entries of a document, once their boxes are sealed. These lines seal the
        open ones:
      </Empty>
    )
  }
  return (
    <div className="side-by-side">
      <nav className="contents" aria-label="Documents">
        <DocumentLinks title="Profiles" documents={all.filter((each) => each['type'] === 'profile')} shown={shown.id} />
        <DocumentLinks title="Topics" documents={all.filter((each) => each['type'] !== 'profile')} shown={shown.id} />
      </nav>
      <DocumentPage document={shown} />
    </div>
  )
}

const lines = (space: string) => `const space = memory.space('${space}')
await space.end({ conversation: 'first' })
await space.end()`

interface OfLinks {
  readonly title: string
  readonly documents: readonly ListedMemory[]
  readonly shown: string
}

function DocumentLinks({ title, documents, shown }: OfLinks) {
  const { space } = useSpace()
  if (documents.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {documents.map((each) => (
          <li key={each.id}>
            <a href={spaceLink(space, 'documents', each.id)} aria-current={each.id === shown ? 'page' : undefined}>
              <span className="name">{String(each['title'])}</span>
              <span className="about">{plural(Number(each['entries']), 'entry', 'entries')}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

function DocumentPage({ document }: { readonly document: ListedMemory }) {
  const { space } = useSpace()
  const entries = useKind('entry', 'all')
  const own = (entries.value ?? []).filter((each) => each['document'] === document.id) as unknown as readonly Entry[]
  const headings = Map.groupBy(own, ({ heading }) => heading)
  return (
    <article className="document">
      <h2 className="title">{String(document['title'])}</h2>
      <p className="about">
        {document['type'] === 'profile' ? 'Profile' : 'Topic'} · by {document.method} ·{' '}
        <a href={whyLink(space, document.id)}>its sources</a>
      </p>
      {entries.state === 'failed' && <Failure error={entries.error} />}
      {entries.state === 'waiting' && <Waiting what="the entries" />}
      {[...headings].map(([heading, of]) => (
        <section key={heading}>
          <h3>{heading}</h3>
          <ul className="entries">
            {of
              .toSorted((a, b) => (b.validFrom ?? 0) - (a.validFrom ?? 0))
              .map((entry) => (
                <EntryLine key={entry.id} entry={entry} all={own} />
              ))}
          </ul>
        </section>
      ))}
    </article>
  )
}

function EntryLine({ entry, all }: { readonly entry: Entry; readonly all: readonly Entry[] }) {
  const { space } = useSpace()
  const { id, statement, validFrom, validTo, knownTo, replacedBy, sources } = entry
  const hasEnded = knownTo !== null || (validTo ?? null) !== null || replacedBy !== null
  const follower = all.find((each) => each.id === replacedBy)
  return (
    <li className={hasEnded ? 'entry has-ended' : 'entry'}>
      <p>
        <a href={whyLink(space, id)}>{statement}</a> <Cites ids={sources} />
      </p>
      <p className="about">
        {typeof validFrom === 'number' && `from ${dayText(validFrom)}`}
        {typeof validTo === 'number' && ` to ${dayText(validTo)}`}
        {follower !== undefined && `, then: ${follower.statement}`}
        {knownTo !== null && `, retired ${momentText(knownTo)}`}
      </p>
    </li>
  )
}
