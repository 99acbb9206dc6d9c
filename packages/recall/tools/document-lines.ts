/** A document as numbered lines: each heading, and under it one line for each entry, in the order of writing. */
import { LoomlogError } from '@loomlog/errors'
import { and } from '@loomlog/views/condition'
import { documents } from '@loomlog/views/tables/documents'
import { type EntryRow, entries as entriesTable, ofDocuments } from '@loomlog/views/tables/entries'
import { isCurrent, type ToolContext } from './tool.ts'

/** Entries read of a document. */
const maxEntries = 2_000

export interface DocumentLine {
  readonly text: string
  /** Null: a heading. */
  readonly entry: EntryRow | null
}

export interface DocumentText {
  readonly title: string
  readonly summary: string
  readonly lines: readonly DocumentLine[]
  /** Whether there are entries beyond the limit, which are not read. */
  readonly rest: 'none' | 'not read'
}

/** @throws LoomlogError `not-found` */
export async function documentLines(id: string, { space, views }: ToolContext): Promise<DocumentText> {
  const where = and(ofDocuments([id]), isCurrent)
  const found = await views.scan(entriesTable, { space, where, limit: maxEntries + 1 })
  const entries = found.slice(0, maxEntries)
  const [described] = await views.byIds(documents, space, [id])
  if (entries.length === 0 && !described) {
    throw new LoomlogError('not-found', `there is no document ${id.slice(0, 80)}: browse_ids lists them`)
  }
  const lines: DocumentLine[] = []
  for (const [heading, under] of Map.groupBy(entries, (entry) => entry.heading)) {
    lines.push({ text: `# ${heading}`, entry: null })
    for (const entry of under) lines.push({ text: entry.statement, entry })
  }
  const [, ...summary] = described?.text.split('\n') ?? []
  const title = described?.title ?? entries[0]?.title ?? ''
  return { title, summary: summary.join(' '), lines, rest: found.length > maxEntries ? 'not read' : 'none' }
}
