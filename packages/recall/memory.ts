/** A memory as recall shows it: whatever its kind, its words, its time and the utterances it goes back to. */

import type { Row } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { type Kind, tables } from '@loomlog/views/tables'

export { type Kind, kinds } from '@loomlog/views/tables'

export interface Memory {
  readonly id: string
  readonly kind: Kind
  /** `tenant/space` */
  readonly space: string
  readonly text: string
  readonly speaker: string
  readonly conversation: string
  /** When it was said, ms since the epoch; null where it has no one time. */
  readonly at: number | null
  /** Where it stands in its partition: the order of what has the same time. */
  readonly offset: number
  /** Event time: from when and until when it is held to be true; `to: null` is still true. */
  readonly valid: { readonly from: number | null; readonly to: number | null }
  /** Log time: from when and until when the memory knew it. */
  readonly known: { readonly from: number; readonly to: number | null }
  /** Ids of the utterances it goes back to. */
  readonly sources: readonly string[]
  /** `rules`, or the model that answered; null for what was simply said. */
  readonly method: string | null
}

export interface Scored extends Memory {
  /** Higher is better; comparable within one answer. */
  readonly score: number
  /** Of what no longer holds: ids of what says what does. */
  readonly replacedBy?: readonly string[]
  /** Of what took something's place, and is less likely by itself: id of what it is as likely as. */
  readonly raisedBy?: string
  /** Of an event: the timelines that it belongs to, and its place in each, from 1, among the events that were read of it. */
  readonly traces?: readonly TracePlace[]
}

export interface TracePlace {
  readonly id: string
  readonly title: string
  readonly position: number
  readonly events: number
}

/** The table whose rows are memories of this kind. A profile is a document about one person or thing. */
export function tableOf(kind: Kind): Table {
  const found = tables.find((table) => (table.kinds as readonly Kind[]).includes(kind))
  if (!found) throw new Error(`no table has the kind ${kind}`)
  return found
}

export function memoryOf(kind: Kind, row: Row): Memory {
  return {
    id: row.id,
    kind,
    space: row.space,
    text: tableOf(kind).evidenceText(row),
    speaker: row.speaker,
    conversation: row.conversation,
    at: row.at,
    offset: row.offset,
    valid: { from: row.validFrom, to: row.validTo },
    known: { from: row.knownFrom, to: row.knownTo },
    sources: row.sources,
    method: row.lineage?.method ?? null,
  }
}

/** As it was said: of what has the same time, what was written first. */
export function byTime(a: Pick<Memory, 'at' | 'offset' | 'id'>, b: Pick<Memory, 'at' | 'offset' | 'id'>): number {
  return (a.at ?? 0) - (b.at ?? 0) || a.offset - b.offset || (a.id < b.id ? -1 : 1)
}
