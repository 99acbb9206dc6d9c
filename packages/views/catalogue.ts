/**
 * Which tables a topic's view has, and what a view is called. A view's id carries the topic (and so the derivation), the vector space
 * and the layout of rows: views of two derivations, embedders or layouts never share a table.
 */
import { hash } from '@loomlog/schemas/ids'
import type { Table } from './table.ts'
import { tables } from './tables/tables.ts'

export type ViewTopic = (typeof tables)[number]['topic']

/** In the order of the tables. */
export const viewTopics: readonly ViewTopic[] = [...new Set(tables.map(({ topic }) => topic))]

/** Raised when rows say something else of the same events: every view is then rebuilt. */
export const viewLayout = 3

export function tablesOf(topic: string): readonly Table[] {
  return tables.filter((table) => table.topic === topic)
}

/** @param topic as it is called in the log: facts.<derivation> */
export function viewId(topic: string, vectorSpace: string): string {
  return hash([topic, vectorSpace, viewLayout]).slice(0, 16)
}
