/** The page: a key where the server needs one, then the places. */
import { isLoomlogError } from '@loomlog/errors'
import { useCallback, useEffect, useState } from 'react'
import { KeyForm } from './key-form.tsx'
import { type PagePlace, usePlace } from './page-places.ts'
import { Failure, Waiting } from './parts/notices.tsx'
import { GenerationsPage } from './server/generations-page.tsx'
import { OperationsPage } from './server/operations-page.tsx'
import {
  forgetCredentials,
  openSession,
  operatesServer,
  type Session,
  storeCredentials,
  storedCredentials,
} from './session.ts'
import { SpacePage } from './space/space-page.tsx'
import { SpacesPage } from './spaces-page.tsx'

type Gate =
  | { readonly state: 'opening' }
  | { readonly state: 'open'; readonly session: Session }
  | { readonly state: 'key-needed'; readonly reason: string | null }
  | { readonly state: 'failed'; readonly error: Error }

export function App() {
  const [gate, setGate] = useState<Gate>({ state: 'opening' })
  const [credentials, setCredentials] = useState(storedCredentials)
  useEffect(() => {
    let isOver = false
    openSession(credentials).then(
      (session) => !isOver && setGate({ state: 'open', session }),
      (error) => !isOver && setGate(gateAfter(error as Error, credentials.key !== '')),
    )
    return () => {
      isOver = true
    }
  }, [credentials])
  const leave = useCallback(() => {
    forgetCredentials()
    setCredentials({ key: '', tenant: '' })
  }, [])
  if (gate.state === 'opening') return <Waiting what="the server" />
  if (gate.state === 'failed') return <Failure error={gate.error} />
  if (gate.state === 'key-needed') {
    return (
      <KeyForm
        reason={gate.reason}
        onKey={(given) => {
          storeCredentials(given)
          setCredentials(given)
        }}
      />
    )
  }
  return <Places session={gate.session} onLeave={leave} />
}

function gateAfter(error: Error, hadKey: boolean): Gate {
  if (!isLoomlogError(error, 'unauthenticated') && !isLoomlogError(error, 'input-invalid'))
    return { state: 'failed', error }
  return { state: 'key-needed', reason: hadKey ? error.message : null }
}

function Places({ session, onLeave }: { readonly session: Session; readonly onLeave: () => void }) {
  const place = usePlace()
  const isLocal = session.rights.name === 'local'
  useEffect(() => {
    document.title = 'space' in place ? `${place.space} · loomlog` : 'loomlog'
  }, [place])
  return (
    <>
      <header className="bar">
        <a className="brand" href="#/">
          loomlog
        </a>
        {'space' in place ? <h1 className="where">{place.space}</h1> : <ServerLinks session={session} at={place.at} />}
        <span className="caller">
          {isLocal ? 'no key needed' : `${session.rights.name} · ${session.rights.scopes.join(', ')}`}
        </span>
        {!isLocal && (
          <button type="button" className="quiet" onClick={onLeave}>
            Forget the key
          </button>
        )}
      </header>
      <Place place={place} session={session} />
    </>
  )
}

function Place({ place, session }: { readonly place: PagePlace; readonly session: Session }) {
  switch (place.at) {
    case 'spaces':
      return <SpacesPage session={session} />
    case 'generations':
      return <GenerationsPage session={session} />
    case 'operations':
      return <OperationsPage session={session} />
    default:
      return <SpacePage key={place.space} place={place} session={session} />
  }
}

/** Links to the views of the server that the key may read. */
function ServerLinks({ session: { rights }, at }: { readonly session: Session; readonly at: string }) {
  const links = [
    ['spaces', 'Spaces', true],
    ['generations', 'Generations', operatesServer(rights)],
    ['operations', 'Operations', rights.scopes.includes('administer') && rights.spaces === null],
  ] as const
  return (
    <nav className="server" aria-label="Views of the server">
      {links.map(
        ([name, title, isAllowed]) =>
          isAllowed && (
            <a key={name} href={`#/${name}`} aria-current={name === at ? 'page' : undefined}>
              {title}
            </a>
          ),
      )}
    </nav>
  )
}
