/** A memory of any kind as recall returns it: its text, its times and the utterances it was derived from. */
import type { Row } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { type Kind as BuiltInKind, tables } from '@loomlog/views/tables'

export { kinds } from '@loomlog/views/tables'

/** Loomlog's own kinds by name; an extension's tables have further ones. */
export type Kind = BuiltInKind | (string & Record<never, never>)

export interface Memory {
  readonly id: string
  readonly kind: Kind
  /** `tenant/space` */
  readonly space: string
  readonly text: string
  readonly speaker: string
  readonly conversation: string
  /** When it was uttered or happened, in ms since the epoch; null if it has no single time. */
  readonly at: number | null
  /** In its partition: the order of memories with the same time. */
  readonly offset: number
  /** Event time: when it began and ceased to be true; `to: null` is still true. */
  readonly valid: { readonly from: number | null; readonly to: number | null }
  /** Log time: when the memory learned it and retired it. */
  readonly known: { readonly from: number; readonly to: number | null }
  /** Ids of the utterances it was derived from. */
  readonly sources: readonly string[]
  /** `rules`, or the name of the model; null for an utterance. */
  readonly method: string | null
}

/** Names a memory in a report. */
export type CandidateName = Pick<Memory, 'id' | 'space' | 'kind'>

export interface ScoredMemory extends Memory {
  /** Higher is better; comparable within one result. */
  readonly score: number
  /** Ids of the memories that replace this one, if it no longer holds. */
  readonly replacedBy?: readonly string[]
  /** Beside `replacedBy`: the sentences of the text that no longer hold, if others still do. */
  readonly outdated?: readonly string[]
  /** Ids of the corrections that retracted every fact of this utterance. */
  readonly retractedBy?: readonly string[]
  /** Present if conclusions from this utterance ended: all of them, or some. */
  readonly ended?: 'all' | 'some'
  /**
   * Id of the memory whose score this one has, because its own is lower: a memory that it replaces or may update, or
   * the best one, if this one is the current answer.
   */
  readonly raisedBy?: string
  /** The timelines of an event, with its position in each, from 1, among the events that were read. */
  readonly traces?: readonly TracePosition[]
}

/** Whether the whole memory is outdated, and not only some of its sentences. */
export function isOutdated({ replacedBy, outdated }: ScoredMemory): boolean {
  return replacedBy !== undefined && outdated === undefined
}

export interface TracePosition {
  readonly id: string
  readonly title: string
  readonly position: number
  readonly events: number
}

/** The table whose rows are memories of this kind. A profile is a document about one person or thing. */
export function tableOf(kind: Kind, all: readonly Table[] = tables): Table {
  const found = all.find((table) => table.kinds.includes(kind))
  if (!found) throw new Error(`no table has the kind ${kind}`)
  return found
}

export function memoryOf(kind: Kind, row: Row, table = tableOf(kind)): Memory {
  return {
    id: row.id,
    kind,
    space: row.space,
    text: table.evidenceText(row),
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

const utterances = new WeakMap<Row, Memory>()

/** One object a row: a cached space keeps its rows, and readings of an utterance are kept with its memory. */
export function memoryOfUtterance(row: Row): Memory {
  const known = utterances.get(row)
  if (known !== undefined) return known
  const memory = memoryOf('utterance', row)
  utterances.set(row, memory)
  return memory
}

/** Compares by time; at the same time, by the order of the log. */
export function byTime(a: Pick<Memory, 'at' | 'offset' | 'id'>, b: Pick<Memory, 'at' | 'offset' | 'id'>): number {
  return (a.at ?? 0) - (b.at ?? 0) || a.offset - b.offset || (a.id < b.id ? -1 : 1)
}
