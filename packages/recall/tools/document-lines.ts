/** A document as numbered lines: a heading, then its entries, one a line, in the order in which they were written. */
import { LoomlogError } from '@loomlog/errors'
import { sql } from '@loomlog/views/condition'
import type { FoundRow } from '@loomlog/views/row'
import { payloadOf } from '../memory.ts'
import { now, type ToolPlace } from './tool.ts'

/** Entries of a document that are looked at. */
const maxEntries = 2_000

export interface DocumentLine {
  readonly text: string
  /** Null: a heading. */
  readonly entry: FoundRow | null
}

export interface DocumentText {
  readonly title: string
  readonly summary: string
  readonly lines: readonly DocumentLine[]
}

/** @throws LoomlogError `not-found` */
export async function documentLines(id: string, { space, views }: ToolPlace): Promise<DocumentText> {
  const view = await views.view('entries', space)
  const where = sql`strpos(payload, ${`"document":${JSON.stringify(id)}`}) > 0 AND ${now('entries')}`
  const entries = (await view?.shard.scan('entries', { space, where, limit: maxEntries })) ?? []
  const [described] = (await view?.shard.byIds('documents', { space, ids: [id] })) ?? []
  if (entries.length === 0 && !described) {
    throw new LoomlogError('not-found', `there is no document ${id.slice(0, 80)}: browse_ids lists them`)
  }
  const lines: DocumentLine[] = []
  for (const [heading, under] of Map.groupBy(entries, (entry) => payloadOf(entry).heading ?? '')) {
    lines.push({ text: `# ${heading}`, entry: null })
    for (const entry of under) lines.push({ text: payloadOf(entry).text ?? entry.text, entry })
  }
  const [, ...summary] = described?.text.split('\n') ?? []
  const title = payloadOf(described ?? (entries[0] as FoundRow)).title ?? ''
  return { title, summary: summary.join(' '), lines }
}
