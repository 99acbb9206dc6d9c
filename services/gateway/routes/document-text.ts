/** A document or profile: title, summary and entries under their headings, as JSON or as Markdown. */
import { endingAfter, holdingAt } from '@loomlog/recall/holding-entries'
import { oneLine } from '@loomlog/schemas/one-line'
import { and, equals, or } from '@loomlog/views/condition'
import { lookUp } from '@loomlog/views/look-up'
import type { ViewReader } from '@loomlog/views/reader'
import { current } from '@loomlog/views/row'
import { documents } from '@loomlog/views/tables/documents'
import { entries, ofDocuments, ofProfiles } from '@loomlog/views/tables/entries'

/** Most entries of a document that are shown, the oldest ones. */
const maxEntries = 2_000

export interface DocumentText {
  readonly id: string
  readonly kind: string
  readonly title: string
  /** The person or thing of a profile; null: a topic. */
  readonly entity: string | null
  readonly summary: string
  readonly parts: readonly { readonly heading: string; readonly entries: readonly DocumentEntry[] }[]
  /** Whether there are further entries. */
  readonly more: boolean
  /** The document as Markdown. */
  readonly text: string
}

interface DocumentEntry {
  readonly id: string
  readonly statement: string
  readonly sources: readonly string[]
}

/** @throws LoomlogError `not-found`, `views-behind` */
export async function documentText(id: string, space: string, views: ViewReader): Promise<DocumentText> {
  const document = await lookUp({ name: `document ${id}`, space, views }, async () => {
    const [found] = await views.byIds(documents, space, [id])
    return found ?? null
  })
  const now = Date.now()
  const where = and(or(current, endingAfter(now)), ofDocuments([id]))
  const found = await views.scan(entries, { space, where, limit: maxEntries + 1 })
  const shown = await holdingAt(now, found.slice(0, maxEntries), views)
  const { kind, entity, title, summary } = document
  const shownDocument = {
    id,
    kind,
    title,
    entity,
    summary,
    parts: [...Map.groupBy(shown, (entry) => entry.heading)].map(([heading, under]) => ({
      heading,
      entries: under.map(({ id, statement, sources }) => ({ id, statement, sources })),
    })),
    more: found.length > maxEntries,
  }
  return { ...shownDocument, text: markdownOf(shownDocument) }
}

/** The profile of a person or thing by its name. @throws LoomlogError `not-found`, `views-behind` */
export async function profileIdOf(entity: string, space: string, views: ViewReader): Promise<string> {
  const where = and(current, ofProfiles, equals('entity', entity))
  return await lookUp({ name: `profile of ${entity}`, space, views }, async () => {
    const [profile] = await views.scan(documents, { space, where, limit: 1 })
    return profile?.id ?? null
  })
}

/** Characters that make the beginning of a line a heading, an item, a quotation, a table, code or HTML. */
const markup = /^(?:[#>*+=~`|<-]|\d+(?=[.)]))/

/** A text on one line: one paragraph, item or heading, and no other. */
function markdownLine(text: string): string {
  const line = oneLine(text).trimStart()
  return line.replace(markup, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
}

export function markdownOf({
  title,
  summary,
  parts,
  more,
}: Pick<DocumentText, 'title' | 'summary' | 'parts' | 'more'>): string {
  const sections = parts.map(
    ({ heading, entries }) =>
      `## ${markdownLine(heading)}\n\n${entries.map(({ statement }) => `- ${markdownLine(statement)}`).join('\n')}\n`,
  )
  const about = summary === '' ? [] : [`${markdownLine(summary)}\n`]
  const rest = more ? [`(There are further entries, beyond ${maxEntries}.)\n`] : []
  return [`# ${markdownLine(title)}\n`, ...about, ...sections, ...rest].join('\n')
}
