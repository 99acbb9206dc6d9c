/**
 * The publications of a forgetting: every memory of the space leaves, and then the feed names the forgetting. Pure.
 * Memories leave effects before causes.
 */
import type { LoomEvent, PublishedEvent, SubjectForgotten } from '@loomlog/schemas/events'
import type { StoredRow } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { envelope, type PublicationContext, publicationsOf } from './publications.ts'

/** The rows of a table, by id. */
export interface TableRows {
  readonly table: Table
  readonly rows: ReadonlyMap<string, StoredRow>
}

/** @param tables a cause before its effects */
export function forgettingPublications(
  tables: readonly TableRows[],
  { id, forgetting }: Pick<SubjectForgotten, 'id' | 'forgetting'>,
  context: PublicationContext,
): readonly PublishedEvent[] {
  const cause = { id, because: 'forgotten' } as const
  const left = tables.flatMap(({ table, rows }) =>
    [...rows].flatMap(([row, before]) => publicationsOf({ table, id: row, before, after: null }, cause, context)),
  )
  const named = {
    type: 'ForgettingPublished',
    ...envelope(context, [id, 'forgetting']),
    forgetting,
    retracted: left.length,
  } satisfies LoomEvent
  return [...left.reverse(), named]
}
