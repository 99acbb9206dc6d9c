/** Who gets the changes of the memory: live readers of the feeds, and webhooks. */
import { Empty, Failure } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { countText, momentText } from '../parts/words.ts'
import type { OfPart } from './operations-page.tsx'
import { Section, Table } from './table.tsx'

interface LiveReader {
  readonly id: number
  readonly name: string
  readonly space: string | null
  readonly topic: 'memory-events' | 'utterances'
  readonly live: string
  readonly since: number
  readonly messages: number
  readonly isUpToDate: boolean
}

interface Webhook {
  readonly id: string
  readonly url: string
  readonly status: string
  readonly reason: string
  readonly parked: number
}

const feedLines = `curl -N '${location.origin}/v1/feed?offset=-1&live=sse'`

export function LiveReaders({ session, tick }: OfPart) {
  const reply = useReply(() => session.client.list<LiveReader>('/v1/subscribers', 'subscribers'), [session, tick])
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting') return null
  const { items } = reply.value
  return (
    <Section title="Subscribers">
      {items.length === 0 ? (
        <Empty title="No subscriber now" code={feedLines}>
          A subscriber follows the changes of the memory. This line is one:
        </Empty>
      ) : (
        <Table head={['Caller', 'Reads', 'Space', 'By', '#Messages', 'Since', 'State']}>
          {items.map(({ id, name, topic, space, live, messages, since, isUpToDate }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>{topic === 'memory-events' ? 'the feed' : 'utterances'}</td>
              <td>{space ?? 'every space'}</td>
              <td>{live === 'sse' ? 'server-sent events' : 'long-poll'}</td>
              <td className="number">{countText(messages)}</td>
              <td>{momentText(since)}</td>
              <td>{isUpToDate ? 'up to date' : 'catches up'}</td>
            </tr>
          ))}
        </Table>
      )}
      <p className="hint">Live readers of this process. Consumers on Kafka are groups of the broker.</p>
    </Section>
  )
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
