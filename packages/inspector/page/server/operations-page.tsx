/** The state of a server: how far stages and views are, conditions, parked inputs with a retry, tokens, subscribers. */
import { path } from '@loomlog/client/loomlog-client'
import { useState } from 'react'
import { type Act, ActDialog, filledIn } from '../act/act-dialog.tsx'
import { Failure, Waiting } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { useTick } from '../parts/use-tick.ts'
import { bytesText, countText, durationText, momentText, shortId } from '../parts/words.ts'
import type { Session } from '../session.ts'
import { operatesServer } from '../session.ts'
import { Subscribers, Webhooks } from './subscriptions.tsx'
import { Section, Table } from './table.tsx'
import { UsageSection } from './usage-section.tsx'

interface Part {
  readonly name: string
  readonly topic: string
  readonly position: number
  readonly end: number
  readonly lag: number
  readonly behindMs: number
  readonly frozen: string | null
}

interface Status {
  readonly stages: readonly Part[]
  readonly views: readonly Part[]
  readonly publisher: Part | null
  readonly bytes: { readonly log: number; readonly views: number }
  readonly conditions: { readonly [name: string]: { readonly text: string; readonly since: number } }
}

interface ParkedInput {
  readonly id: string
  readonly stage: string
  readonly code: string
  readonly reason: string
  readonly attempts: number
  readonly at: number
}

export function OperationsPage({ session }: { readonly session: Session }) {
  const [often] = useTick(2_000)
  const [seldom] = useTick(10_000)
  return (
    <main className="page">
      <h1>Operations</h1>
      {operatesServer(session.rights) && <Progress session={session} tick={often} />}
      <Parked session={session} tick={seldom} />
      <UsageSection session={session} tick={seldom} />
      <Subscribers session={session} tick={often} />
      <Webhooks session={session} tick={seldom} />
    </main>
  )
}

export interface OfPart {
  readonly session: Session
  /** Rises when the part is read again. */
  readonly tick: number
}

function Progress({ session, tick }: OfPart) {
  const reply = useReply((signal) => session.client.get<Status>('/v1/status', {}, { signal }), [session, tick])
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return <Waiting what="the status" />
  const { stages, views, publisher, bytes, conditions } = reply.value
  const parts = [...stages, ...views, ...(publisher === null ? [] : [publisher])]
  const waits = Object.entries(conditions)
  return (
    <>
      {waits.length > 0 && (
        <ul className="conditions">
          {waits.map(([name, { text, since }]) => (
            <li key={name} className="failure">
              {text} <span className="about">since {momentText(since)}</span>
            </li>
          ))}
        </ul>
      )}
      <section>
        <h2>Stages and views</h2>
        <Table head={['Part', '#Left', '#Behind', '#Records', 'Reads']}>
          {parts.map(({ name, topic, position, lag, behindMs, frozen }) => (
            <tr key={`${name} ${topic}`}>
              <th scope="row">
                {name}
                {frozen !== null && <span className="about"> {frozen}</span>}
              </th>
              <td className="number">{countText(lag)}</td>
              <td className="number">{lag === 0 ? 'up to date' : durationText(behindMs)}</td>
              <td className="number">{countText(position)}</td>
              <td>{topic.replace(/\.[0-9a-f]{12,}$/, '')}</td>
            </tr>
          ))}
        </Table>
        <p className="hint">
          The log has {bytesText(bytes.log)}, the views {bytesText(bytes.views)}.
        </p>
      </section>
    </>
  )
}

function Parked({ session, tick }: OfPart) {
  const [act, setAct] = useState<Act | null>(null)
  const read = () => session.client.list<ParkedInput>('/v1/parked', 'parked')
  const reply = useReply(read, [session, tick, act])
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return null
  const { items } = reply.value
  return (
    <Section title="Parked inputs">
      {items.length === 0 ? (
        <p className="hint">None. An input that no stage can process waits here for a retry.</p>
      ) : (
        <Table head={['Input', 'Stage', 'Reason', '#Attempts', 'Parked', '']}>
          {items.map((input) => (
            <tr key={input.id}>
              <th scope="row">
                <code title={input.id}>{shortId(input.id)}</code>
              </th>
              <td>{input.stage}</td>
              <td>
                {input.code}: {input.reason}
              </td>
              <td className="number">{input.attempts}</td>
              <td>{momentText(input.at)}</td>
              <td>
                <button type="button" className="quiet" onClick={() => setAct(retryOf(session, input))}>
                  Retry…
                </button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {act !== null && <ActDialog act={act} rights={session.rights} onClose={() => setAct(null)} />}
    </Section>
  )
}

function retryOf({ client }: Session, { id, stage, reason }: ParkedInput): Act {
  return {
    title: 'Retry a parked input',
    verb: 'Retry',
    fields: <p className="about">The stage {stage} processes it again, in the order of its space.</p>,
    async preview() {
      const { event } = await client.get<{ event: object | null }>(path`/v1/parked/${id}`)
      return (
        <>
          <p>{reason}</p>
          <pre>{event === null ? 'undecodable' : JSON.stringify(event, null, 2).slice(0, 4_000)}</pre>
        </>
      )
    },
    async perform(given) {
      const { attempt } = await client.post<{ attempt: number }>(path`/v1/parked/${id}/retry`, filledIn(given))
      return <p>Attempt {attempt} is requested.</p>
    },
  }
}
