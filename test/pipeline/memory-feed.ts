/** The feed of a log, and the memories that the views of its live generation hold, in the form of a folded feed. */
import type { Host } from '@loomlog/host/open'
import type { PublishedEvent } from '@loomlog/schemas/events'
import { current } from '@loomlog/views/row'
import { boxes } from '@loomlog/views/tables/boxes'
import { documents } from '@loomlog/views/tables/documents'
import { entries } from '@loomlog/views/tables/entries'
import { facts } from '@loomlog/views/tables/facts'
import { links } from '@loomlog/views/tables/links'
import { withReading } from '../../packages/app/generations/live.ts'

export async function feedOf({ log, codec }: Host): Promise<readonly PublishedEvent[]> {
  const events: PublishedEvent[] = []
  for await (const records of log.read({ topic: 'memory-events', until: 'end' }))
    for (const { value } of records) events.push((await codec.decode(value)) as PublishedEvent)
  return events
}

/** By `kind/id`: a text with the content, as services/publisher/feed-fold.ts writes it. */
export async function viewMemories(host: Host, space: string): Promise<ReadonlyMap<string, string>> {
  return withReading(host, space.split('/')[0] ?? '', async ({ views }) => {
    const of = { space, limit: 10_000, where: current }
    const found: (readonly [string, string])[] = [
      ...(await views.scan(boxes, of)).map(({ id, sources }) => [`topic/${id}`, sources.join()] as const),
      ...(await views.scan(facts, of)).map(({ id, text }) => [`fact/${id}`, text] as const),
      ...(await views.scan(links, of)).map(({ id, text }) => [`link/${id}`, text] as const),
      ...(await views.scan(entries, of)).map((row) => [`entry/${row.id}`, `${row.title}: ${row.statement}`] as const),
      ...(await views.scan(documents, of)).map(
        (row) => [`document/${row.id}`, `${row.title}: ${row.summary}`] as const,
      ),
    ]
    return new Map(found)
  })
}
