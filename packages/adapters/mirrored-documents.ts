/**
 * The documents and profiles of a space as Markdown files, each current one below `/memories/documents` or
 * `/memories/profiles`. An edit of one line, which is an entry, is a correction by the agent. Any other edit is refused
 * with an advice.
 */
import { isLoomlogError } from '@loomlog/client'
import type { DocumentReply } from '@loomlog/client/api'
import type { MemorySpace } from '@loomlog/client/memory'
import { isWithin, type MemoryFile, replaced, snippet } from './memory-files.ts'

const mirrors = ['/memories/documents', '/memories/profiles'] as const

export interface MirroredFile extends MemoryFile {
  readonly document: DocumentReply
}

/** Longest wait until a correction is applied. */
const waitMs = 30_000
const pageItems = 500
const maxNameChars = 60
/** Its place in the Markdown of a document that has one, from 0. */
const summaryLine = 2
const advice =
  'Replace words within one line that begins with "- ", or delete such a line; for anything else write a note elsewhere in /memories'

export function isMirrored(path: string): boolean {
  return mirrors.some((folder) => path === folder || isWithin(folder, path))
}

export function refusal(path: string): Error {
  return new Error(`${path} is derived from conversations, and can't be changed like this. ${advice}`)
}

export async function mirroredFiles(space: MemorySpace): Promise<readonly MirroredFile[]> {
  const described = (await everyMemory(space, 'document')).filter(({ entries }) => entries !== 0)
  const byName = Map.groupBy(described, ({ title, type }) => {
    const [ofDocuments, ofProfiles] = mirrors
    return `${type === 'profile' ? ofProfiles : ofDocuments}/${fileName(String(title))}`
  })
  const files: MirroredFile[] = []
  for (const [name, namesakes] of byName)
    for (const { id } of namesakes) {
      const document = await documentOf(space, id)
      const path = `${namesakes.length === 1 ? name : `${name}-${id.slice(0, 8)}`}.md`
      if (document !== null) files.push({ path, content: document.text, document })
    }
  return files
}

/** Null: it is gone since it was listed. */
async function documentOf(space: MemorySpace, id: string): Promise<DocumentReply | null> {
  try {
    return await space.document(id)
  } catch (error) {
    if (isLoomlogError(error, 'not-found')) return null
    throw error
  }
}

/** Letters and digits of the title, so that a title is no other path. */
function fileName(title: string): string {
  const words = title.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return words.join('-').slice(0, maxNameChars) || 'untitled'
}

async function everyMemory(space: MemorySpace, kind: string) {
  const memories = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await space.list({ kind, limit: pageItems, cursor })
    memories.push(...page.memories)
    cursor = page.next
  }
  return memories
}

interface Edit {
  readonly space: MemorySpace
  readonly agent: string
  readonly file: MirroredFile
  readonly old: string
  readonly by: string
}

/** Returns when the memory has applied the correction. @throws Error where the edit is none, or is not applied */
export async function correctDocument({ space, agent, file, old, by }: Edit): Promise<string> {
  const { entry, text } = correctionOf(file, old, by)
  const role = (await everyMemory(space, 'entry')).find(({ id }) => id === entry.id)?.['role']
  if (role === 'human')
    throw new Error(
      `"${entry.statement}" is from a person's words, which an agent can't correct. Ask the person, whose next message corrects it; or write a note elsewhere in /memories`,
    )
  const author = { by: agent, role: 'agent', memory: entry.id, reason: `edit of ${file.path}` } as const
  const { position } = await space.correct(
    text === null ? { ...author, action: 'retract' } : { ...author, action: 'replace', text },
  )
  // The cheapest call that waits for the stages; its result is of no use.
  await space.recall(entry.statement, { after: position, reach: 'derived', wait: waitMs, kind: 'document', limit: 1 })
  const { text: content, parts } = await space.document(file.document.id)
  if (
    parts.some(({ entries }) => entries.some(({ id, statement }) => id === entry.id || statement === entry.statement))
  )
    throw new Error(`The correction is recorded, but the memory still has "${entry.statement}", for other evidence`)
  if (text === null) return `The entry "${entry.statement}" has been retracted from ${file.path}.`
  const line = content.split('\n').findIndex((each) => each.startsWith('- ') && statementIn(each) === text)
  if (line === -1) return `"${entry.statement}" has been corrected to "${text}", which is now in another document.`
  return snippet(content, line + 1)
}

type Entry = DocumentReply['parts'][number]['entries'][number]

/** The entry and its new text; null: it is deleted. @throws Error where more or something else is changed */
function correctionOf({ path, content, document }: MirroredFile, old: string, by: string) {
  // The summary repeats entries: without it the words of an entry occur once.
  const lines = content.split('\n')
  const before = document.summary === '' ? lines : lines.with(summaryLine, '')
  const entries = before.join('\n')
  if (content.includes(old) && !entries.includes(old)) throw refusal(path)
  const after = replaced({ path, content: entries }, old, by).content.split('\n')
  const at = before.findIndex((line, place) => line !== after[place])
  const entry = entryAt(before, at, document)
  if (entry === undefined) throw refusal(path)
  const isRemoved = after.length === before.length - 1 && isSame(before.toSpliced(at, 1), after)
  const line = after[at] ?? ''
  if (!isRemoved && !isSame(before.with(at, line), after)) throw refusal(path)
  if (isRemoved || /^(?:-\s*\\?\s*)?$/.test(line)) return { entry, text: null }
  if (!line.startsWith('- ')) throw refusal(path)
  return { entry, text: statementIn(line) }
}

/** Lines that begin with `- ` are the entries in their order: the beginnings of all other lines are escaped. */
function entryAt(lines: readonly string[], at: number, { parts }: DocumentReply): Entry | undefined {
  if (!lines[at]?.startsWith('- ')) return undefined
  const place = lines.slice(0, at).filter((line) => line.startsWith('- ')).length
  return parts.flatMap(({ entries }) => entries)[place]
}

/** Without the backslash that keeps the beginning of a statement from being markup. */
function statementIn(line: string): string {
  return line
    .slice('- '.length)
    .trim()
    .replace(/^\\(?=[#>*+=~`|<-])/, '')
    .replace(/^(\d+)\\(?=[.)])/, '$1')
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at])
}
