/**
 * The memory of one space as the views of one generation hold it now: boxes, facts, events and links, and the lines of its documents
 * and profiles, without retired or removed ones.
 */
import type { SpaceMemory, Statement } from '@loomlog/generations/diff/memory'
import type { TableName } from '@loomlog/views/catalogue'
import { sql } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import type { FoundRow } from '@loomlog/views/row'

/** Rows of a space that are read, a table; a memory with more can't be compared whole. */
const maxRows = 200_000

type Payload = {
  readonly sources: readonly string[]
  readonly utterances: readonly { readonly id: string; readonly seq: number }[]
  readonly topic: string
  readonly text: string
  readonly title: string
  readonly heading: string
  readonly kind: string
  readonly event: string
  readonly previous: string | null
}

/** @param space `tenant/space` */
export async function spaceMemory(views: ViewReader, space: string): Promise<SpaceMemory> {
  const rows = async (table: TableName) => {
    const view = await views.view(table, space)
    return (await view?.shard.scan(table, { space, where: sql`known_to IS NULL`, limit: maxRows })) ?? []
  }
  const lines = (await rows('entries')).map((row) => ({ row, payload: payloadOf(row) }))
  const linesOf = (profile: 'profile' | 'topic') =>
    lines
      .filter(({ payload }) => (payload.kind === 'profile') === (profile === 'profile'))
      .map(({ row, payload }) => ({
        id: row.id,
        text: payload.text,
        sources: payload.sources,
        under: `${payload.title} — ${payload.heading}`,
      }))
  return {
    boxes: (await rows('boxes')).map((row) => {
      const { utterances, topic } = payloadOf(row)
      return { id: row.id, conversation: row.conversation, utterances, topic }
    }),
    facts: (await rows('facts')).map(statementOf),
    events: (await rows('events')).map(statementOf),
    links: (await rows('links')).map((row) => {
      const { event, previous, title } = payloadOf(row)
      return { id: row.id, event, previous, title }
    }),
    topicLines: linesOf('topic'),
    profileLines: linesOf('profile'),
  }
}

function statementOf(row: FoundRow): Statement {
  return { id: row.id, text: row.text, sources: payloadOf(row).sources, under: '' }
}

function payloadOf(row: FoundRow): Payload {
  return JSON.parse(row.payload) as Payload
}
