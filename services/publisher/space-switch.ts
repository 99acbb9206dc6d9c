/**
 * The differences between two generations of a space, as the publications that turn the one into the other. Pure.
 * Memories leave effects before causes, and join causes before effects.
 */
import type { PublishedEvent } from '@loomlog/schemas/events'
import type { StoredRow } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { generationSwitched, type PublicationContext, publicationsOf } from './publications.ts'

/** The rows of a table, by id, under both generations. */
export interface TableDifference {
  readonly table: Table
  readonly before: ReadonlyMap<string, StoredRow>
  readonly after: ReadonlyMap<string, StoredRow>
}

export interface SwitchTarget {
  readonly from: string | null
  /** The watermark of the new generation in `utterances`. */
  readonly partition: number
  readonly upTo: number
}

/** @param tables a cause before its effects */
export function switchPublications(
  tables: readonly TableDifference[],
  { from, partition, upTo }: SwitchTarget,
  context: PublicationContext,
): readonly PublishedEvent[] {
  const cause = { id: 'switch', because: 'switched' } as const
  const all = tables.flatMap(({ table, before, after }) =>
    [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
      const changed = { table, id, before: before.get(id) ?? null, after: after.get(id) ?? null }
      return publicationsOf(changed, cause, context)
    }),
  )
  const retractions = all.filter((event) => 'change' in event && event.change === 'retracted').reverse()
  const insertions = all.filter((event) => 'change' in event && event.change === 'inserted')
  const counts = { inserted: insertions.length, retracted: retractions.length }
  return [generationSwitched(context, { from, partition, upTo, ...counts }), ...retractions, ...insertions]
}
