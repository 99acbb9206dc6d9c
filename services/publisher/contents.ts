/**
 * The published content of a memory, by view table. Memories of other tables, such as those of extensions, are not
 * published.
 */
import type {
  DocumentPublished,
  EntryPublished,
  FactPublished,
  LinkPublished,
  Role,
  TopicPublished,
} from '@loomlog/schemas/events'
import type { StoredRow } from '@loomlog/views/row'
import type { RowOf, Table } from '@loomlog/views/table'
import type { boxes } from '@loomlog/views/tables/boxes'
import type { documents } from '@loomlog/views/tables/documents'
import type { EntryRow } from '@loomlog/views/tables/entries'
import type { FactRow } from '@loomlog/views/tables/facts'
import type { links } from '@loomlog/views/tables/links'

type MemoryPublished = TopicPublished | FactPublished | LinkPublished | EntryPublished | DocumentPublished

type MemoryEnvelope = 'id' | 'tenant' | 'space' | 'generation' | 'at' | 'memory' | 'change' | 'because'
type ContentOf<E> = E extends MemoryPublished ? Omit<E, MemoryEnvelope> : never

/** A published memory without its envelope. */
export type MemoryContent = ContentOf<MemoryPublished>

const byTable = {
  boxes: ({ conversation, topic, keywords, sources, startedAt, endedAt }: RowOf<typeof boxes>) => ({
    type: 'TopicPublished' as const,
    conversation,
    topic,
    keywords,
    utterances: sources,
    startedAt,
    endedAt,
    keyId: null,
  }),
  facts: (row: FactRow) => {
    const { box, conversation, text, kind, subject, relation, object, speaker, role, when, location } = row
    const { persons, entities, sources, correction } = row
    return {
      type: 'FactPublished' as const,
      box,
      conversation,
      text,
      kind,
      subject,
      relation,
      object,
      speaker,
      role: role as Role,
      saidAt: row.at ?? 0,
      when,
      location,
      persons,
      entities,
      sources,
      correction: correction?.id ?? null,
      statedBy: correction,
      keyId: null,
    }
  },
  links: ({ trace, text, event, previous, score, position }: RowOf<typeof links>) => ({
    type: 'LinkPublished' as const,
    trace,
    title: text,
    event,
    previous,
    score,
    position,
    keyId: null,
  }),
  entries: (row: EntryRow) => {
    const { document, kind, title, heading, statement, when, validFrom, replacedBy, speaker, role, facts, sources } =
      row
    return {
      type: 'EntryPublished' as const,
      document,
      kind,
      title,
      heading,
      text: statement,
      when,
      validFrom: validFrom ?? 0,
      replacedBy,
      speaker,
      role: role as Role,
      facts,
      sources,
      keyId: null,
    }
  },
  documents: ({ kind, entity, title, summary, entries }: RowOf<typeof documents>) => ({
    type: 'DocumentPublished' as const,
    kind,
    entity,
    title,
    summary,
    entries,
    keyId: null,
  }),
}

/** Null: memories of this table are not published. */
export function contentOf({ name }: Pick<Table, 'name'>, row: StoredRow): MemoryContent | null {
  if (!Object.hasOwn(byTable, name)) return null
  return (byTable[name as keyof typeof byTable] as unknown as (row: StoredRow) => MemoryContent)(row)
}
