/**
 * The tables of each topic's view, and the names of views. A view's id carries the topic (and so the derivation), the
 * vector space and the layout of rows: views of two derivations, embedders or layouts never share a table.
 */
import { hash } from '@loomlog/schemas/ids'
import type { TopicSpec } from '@loomlog/topics/catalogue'
import type { Table } from './table.ts'
import { tables } from './tables/tables.ts'

/** The topics of tables, in the order of the tables. @param all default: loomlog's own */
export function viewTopics(all: readonly Table[] = tables): readonly TopicSpec[] {
  return [...new Set(all.map(({ topic }) => topic))]
}

/** Raise it when the rows of the same events change, or the bytes of a pack: every view is then rebuilt. */
export const viewLayout = 10

/** @param all default: loomlog's own */
export function tablesOf(topic: string, all: readonly Table[] = tables): readonly Table[] {
  return all.filter((table) => table.topic.name === topic)
}

/** @param topic its name in the log: facts.<derivation> */
export function viewId(topic: string, vectorSpace: string): string {
  return hash([topic, vectorSpace, viewLayout]).slice(0, 16)
}
