/** The spaces of the tenant, the one with the newest event first. */

import { spaceLink } from './page-places.ts'
import { Empty, Failure, Waiting } from './parts/notices.tsx'
import { useReply } from './parts/use-reply.ts'
import { bytesText, countText, momentText } from './parts/words.ts'
import type { Session } from './session.ts'

interface Space {
  readonly space: string
  readonly records: number
  readonly bytes: number
  readonly lastAt: number
}

const firstLines = `import { connect } from '@loomlog/client'
const memory = connect({ url: '${location.origin}' })
await memory.space('team').add({ conversation: 'first', speaker: 'Ada', text: 'I live in Lisbon.' })`

export function SpacesPage({ session }: { readonly session: Session }) {
  const { rights } = session
  return (
    <main className="page">
      <h1>Spaces</h1>
      {rights.spaces === null ? <AllSpaces session={session} /> : <OwnSpaces spaces={rights.spaces} />}
    </main>
  )
}

/** A key of some spaces may not list those of the tenant. */
function OwnSpaces({ spaces }: { readonly spaces: readonly string[] }) {
  return (
    <ul className="cards">
      {spaces.map((space) => (
        <li key={space}>
          <a href={spaceLink(space)}>{space}</a>
        </li>
      ))}
    </ul>
  )
}

function AllSpaces({ session }: { readonly session: Session }) {
  const reply = useReply(() => session.client.list<Space>('/v1/spaces', 'spaces'), [session])
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return <Waiting what="the spaces" />
  const spaces = [...reply.value.items].sort((a, b) => b.lastAt - a.lastAt)
  if (spaces.length === 0) {
    return (
      <Empty title="No space yet" code={firstLines}>
        A space begins with its first utterance. These lines append one:
      </Empty>
    )
  }
  return (
    <div className="table">
      <table>
        <thead>
          <tr>
            <th scope="col">Space</th>
            <th scope="col" className="number">
              Records
            </th>
            <th scope="col" className="number">
              Size
            </th>
            <th scope="col">Last event</th>
          </tr>
        </thead>
        <tbody>
          {spaces.map(({ space, records, bytes, lastAt }) => (
            <tr key={space}>
              <th scope="row">
                <a href={spaceLink(space)}>{space}</a>
              </th>
              <td className="number">{countText(records)}</td>
              <td className="number">{bytesText(bytes)}</td>
              <td>{momentText(lastAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
