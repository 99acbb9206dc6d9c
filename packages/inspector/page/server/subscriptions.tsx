/** Who gets the changes of the memory: subscribers by HTTP, and webhooks. */
import { Empty, Failure } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { countText, momentText } from '../parts/words.ts'
import type { OfPart } from './operations-page.tsx'
import { Section, Table } from './table.tsx'

interface Subscriber {
  readonly id: string
  readonly name: string
  readonly space: string | null
  readonly topic: 'memory-events' | 'utterances'
  readonly types: readonly string[] | null
  readonly live: 'long-poll' | 'sse'
  readonly connections: number
  readonly since: number
  readonly messages: number
  readonly isUpToDate: boolean
}

interface Page {
  readonly subscribers: readonly Subscriber[]
  readonly next: string | null
}

interface Webhook {
  readonly id: string
  readonly url: string
  readonly status: string
  readonly reason: string
  readonly parked: number
}

const feedLines = `curl -N '${location.origin}/v1/feed?offset=-1&live=sse'`

export function Subscribers({ session, tick }: OfPart) {
  const read = (signal: AbortSignal) => session.client.get<Page>('/v1/subscribers', { limit: 500 }, { signal })
  const reply = useReply(read, [session, tick])
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return null
  const { subscribers, next } = reply.value
  return (
    <Section title="Subscribers">
      {subscribers.length === 0 ? (
        <Empty title="No subscriber now" code={feedLines}>
          A subscriber follows the changes of the memory. This line is one:
        </Empty>
      ) : (
        <Table head={['Caller', 'Reads', 'Space', 'By', '#Messages', 'Since', 'State']}>
          {subscribers.map((each) => (
            <tr key={each.id}>
              <th scope="row">{each.name}</th>
              <td>
                {each.topic === 'memory-events' ? 'the feed' : 'utterances'}
                {each.types !== null && <span className="about"> {each.types.join(', ')}</span>}
              </td>
              <td>{each.space ?? 'every space'}</td>
              <td>{each.live === 'sse' ? 'SSE' : 'long-poll'}</td>
              <td className="number">{countText(each.messages)}</td>
              <td>{momentText(each.since)}</td>
              <td>{stateOf(each)}</td>
            </tr>
          ))}
        </Table>
      )}
      <p className="hint">
        {next !== null && 'The 500 oldest ones. '}Readers by HTTP of this process. Consumers on Kafka are groups of the
        broker.
      </p>
    </Section>
  )
}

function stateOf({ connections, isUpToDate }: Subscriber): string {
  const state = isUpToDate ? 'up to date' : 'catches up'
  return connections === 0 ? `away, was ${isUpToDate ? 'up to date' : 'catching up'}` : state
}

const webhookLines = `curl ${location.origin}/v1/webhooks -H 'content-type: application/json' -d '{"url": "https://example.com/hook"}'`

export function Webhooks({ session, tick }: OfPart) {
  const reply = useReply(() => session.client.list<Webhook>('/v1/webhooks', 'webhooks'), [session, tick])
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return null
  const { items } = reply.value
  return (
    <Section title="Webhooks">
      {items.length === 0 ? (
        <Empty title="No webhook yet" code={webhookLines}>
          A webhook gets each change of the memory. This line creates one:
        </Empty>
      ) : (
        <Table head={['Address', 'Status', '#Parked events']}>
          {items.map(({ id, url, status, reason, parked }) => (
            <tr key={id}>
              <th scope="row">{url}</th>
              <td>
                {status} <span className="about">{reason}</span>
              </td>
              <td className="number">{countText(parked)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}
