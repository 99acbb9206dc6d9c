/** Timelines: the events of each matter on one axis of time that all share, and in words below it. */
import type { MemoryPage } from '@loomlog/client/api'
import { path } from '@loomlog/client/loomlog-client'
import { whyLink } from '../page-places.ts'
import { Cites } from '../parts/cite.tsx'
import { Empty, Failure, Waiting } from '../parts/notices.tsx'
import { useReply } from '../parts/use-reply.ts'
import { dayText, plural } from '../parts/words.ts'
import type { Fact, Link } from './memory.ts'
import { useSnapshot, useSpace } from './use-space.tsx'

interface TimelineEvent {
  readonly link: Link
  readonly fact: Fact | undefined
  /** In ms; null: at no known time. */
  readonly at: number | null
}

interface Timeline {
  readonly trace: string
  readonly title: string
  readonly events: readonly TimelineEvent[]
}

export function TimelinesView() {
  const { space, session, loaded } = useSpace()
  const snapshot = useSnapshot()
  const reply = useReply(
    (signal) =>
      session.client.get<MemoryPage>(
        path`/v1/spaces/${space}/memories`,
        { kind: 'link', order: 'newest', limit: 500 },
        { signal },
      ),
    [space, session, snapshot.derivedVersion],
  )
  if (reply.state === 'failed') return <Failure error={reply.error} />
  if (reply.state === 'waiting' || !loaded.first) return <Waiting what="the timelines" />
  const timelines = timelinesOf(reply.value.memories as readonly Link[], snapshot.facts)
  if (timelines.length === 0) {
    return (
      <Empty title="No timeline yet" code={lines(space)}>
        Events that belong to one matter become a timeline, such as these two:
      </Empty>
    )
  }
  const times = timelines.flatMap(({ events }) => events.flatMap(({ at }) => at ?? []))
  const [first, last] = [Math.min(...times), Math.max(...times)]
  return (
    <div className="timelines">
      {timelines.map((timeline) => (
        <TimelineCard key={timeline.trace} timeline={timeline} first={first} last={last} />
      ))}
    </div>
  )
}

const lines = (
  space: string,
) => `const add = (text) => memory.space('${space}').add({ conversation: 'boat', speaker: 'Ada', text })
await add('I bought the boat Argo on 2 March 2026.')
await add('I repaired the engine of Argo on 20 March 2026.')`

/** The longest first. */
function timelinesOf(links: readonly Link[], facts: ReadonlyMap<string, Fact>): readonly Timeline[] {
  const byTrace = Map.groupBy(links, ({ trace }) => trace)
  return [...byTrace]
    .map(([trace, of]) => {
      const events = of.toSorted((a, b) => a.position - b.position).map((link) => placed(link, facts.get(link.event)))
      return { trace, title: of.at(-1)?.text ?? '', events }
    })
    .toSorted((a, b) => b.events.length - a.events.length)
}

function placed(link: Link, fact: Fact | undefined): TimelineEvent {
  return { link, fact, at: fact?.when?.from ?? null }
}

interface OfCard {
  readonly timeline: Timeline
  /** The ends of the axis, in ms. */
  readonly first: number
  readonly last: number
}

function TimelineCard({ timeline: { title, events }, first, last }: OfCard) {
  const { space } = useSpace()
  const share = (at: number) => (last === first ? 50 : 1 + (98 * (at - first)) / (last - first))
  return (
    <section className="timeline">
      <h2>
        {title} <span className="about">{plural(events.length, 'event')}</span>
      </h2>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <line x1="0" y1="3" x2="100" y2="3" />
        {events.map(
          ({ link, at }) =>
            at !== null && <line key={link.id} className="mark" x1={share(at)} x2={share(at)} y1="0" y2="6" />,
        )}
      </svg>
      <p className="axis" aria-hidden="true">
        <span>{dayText(first)}</span>
        <span>{dayText(last)}</span>
      </p>
      <ol>
        {events.map(({ link, fact, at }) => (
          <li key={link.id}>
            <span className="day">{fact?.when?.text ?? (at === null ? '' : dayText(at))}</span>
            <span>
              <a href={whyLink(space, link.id)}>{fact?.text ?? link.text}</a> <Cites ids={fact?.sources ?? []} />
            </span>
            <span className="about" title="How near the event is to the matter">
              {link.previous === null ? 'first event' : `nearness ${link.score.toFixed(2)}`}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
