/**
 * A document or profile as a file of Markdown: front matter in YAML, entries under their headings, and a footnote for
 * each utterance that they cite. The words are those of people: none of them begins a line, ends the front matter,
 * makes a footnote, a link or HTML.
 */
import type { DocumentReply } from '@loomlog/client/api'
import { escapeUnseen } from '@loomlog/errors/invalid-input'
import { oneLine } from '@loomlog/schemas/one-line'
import type { CitedSource } from './space-export.ts'

export interface DocumentToExport {
  readonly document: DocumentReply
  readonly tenant: string | null
  readonly space: string
  /** Log time of the description. */
  readonly updatedAt: number
  /** By id; a cited one may be missing. */
  readonly sources: ReadonlyMap<string, CitedSource>
}

/** Characters of an utterance in a footnote: the log has all of them. */
const footnoteChars = 300

export function markdownDocument(of: DocumentToExport): string {
  const { document, sources } = of
  const cited = citedIn(document)
  const numbers = new Map(cited.map((id, at) => [id, at + 1]))
  const line = (entry: DocumentReply['parts'][number]['entries'][number]) =>
    `- ${markdownText(entry.statement)}${entry.sources.map((id) => `[^${numbers.get(id)}]`).join('')}`
  const parts = document.parts.map(
    ({ heading, entries }) => `## ${markdownText(heading)}\n\n${entries.map(line).join('\n')}\n`,
  )
  const notes = cited.map((id) => `[^${numbers.get(id)}]: ${footnote(id, sources.get(id))}`)
  const summary = document.summary === '' ? [] : [`${markdownText(document.summary)}\n`]
  const rest = document.more ? ['(The document has further entries.)\n'] : []
  return [frontMatter(of), `# ${markdownText(document.title)}\n`, ...summary, ...parts, ...rest, ...notes, ''].join(
    '\n',
  )
}

/** The sources of every entry, each once, in the order of the document. */
export function citedIn({ parts }: DocumentReply): readonly string[] {
  return [...new Set(parts.flatMap(({ entries }) => entries.flatMap(({ sources }) => sources)))]
}

/** A string of JSON is one of YAML, on one line that shows it whole. */
function frontMatter({ document, tenant, space, updatedAt }: DocumentToExport): string {
  const { id, title, kind, entity, generation, parts } = document
  const fields = {
    id,
    title,
    kind,
    ...(entity !== null && { entity }),
    ...(tenant !== null && { tenant }),
    space,
    updated: new Date(updatedAt).toISOString(),
    generation,
    entries: parts.reduce((total, { entries }) => total + entries.length, 0),
    sources: citedIn(document).length,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${escapeUnseen(JSON.stringify(value))}`)
  return `---\n${lines.join('\n')}\n---\n`
}

function footnote(id: string, source: CitedSource | undefined): string {
  const name = `\`${oneLine(id).replaceAll('`', "'")}\``
  if (source === undefined) return name
  const { text, at } = source
  const words = text.length > footnoteChars ? `${text.slice(0, footnoteChars).toWellFormed()}…` : text
  const day = at === null ? '' : `, ${new Date(at).toISOString().slice(0, 10)}`
  return `${markdownText(words)} (${name}${day})`
}

/** Characters with a meaning anywhere in a line, and those by which a viewer recognises an address to link. */
const inline = /[\\`*_[\]<>&~|$!@]|:(?=\/\/)|(?<=www)\./gi
/** Beginnings of lines that make a heading, an item or a rule. */
const beginning = /^(?:[#+=:-]|\d+(?=[.)]))/

/** A text on one line, which shows as it is. */
function markdownText(text: string): string {
  return oneLine(text)
    .trim()
    .replaceAll(inline, (sign) => `\\${sign}`)
    .replace(beginning, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`))
}
