/** Every document and profile of a space as a file of its own, below `topics/` and `profiles/`. */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { citedIn, markdownDocument } from './markdown-document.ts'
import type { SpaceToExport } from './space-export.ts'

export interface MarkdownCounts {
  readonly documents: number
  readonly profiles: number
}

/** A document without an entry that holds now is left out: its summary may be of entries that are gone. */
export async function writeMarkdown(
  of: SpaceToExport,
  folder: string,
  { signal, onFile }: { readonly signal: AbortSignal; onFile(done: number): void },
): Promise<MarkdownCounts> {
  const counts = { documents: 0, profiles: 0 }
  for (const name of ['topics', 'profiles']) await mkdir(join(folder, name))
  for await (const { memory } of of.memories('document', 'current')) {
    signal.throwIfAborted()
    const document = await of.document(memory.id)
    if (document.parts.length === 0) continue
    const found = await of.sources(citedIn(document))
    const sources = new Map(found.map((source) => [source.id, source]))
    const text = markdownDocument({
      document,
      tenant: of.tenant,
      space: of.name,
      updatedAt: memory.knownFrom,
      sources,
    })
    const isProfile = document.kind === 'profile'
    await writeFile(join(folder, isProfile ? 'profiles' : 'topics', fileNameOf(document)), text, { flag: 'wx' })
    counts[isProfile ? 'profiles' : 'documents'] += 1
    onFile(counts.documents + counts.profiles)
  }
  return counts
}

/** Bytes of the title in a file's name, far below the limit of any file system. */
const titleBytes = 80

/**
 * Letters and digits of the title, for people, and a hash of the id, so that no two documents have one name, also where
 * a file system takes `A` for `a`. A title alone is never a name: it might be `..`, `con` or empty.
 */
export function fileNameOf({ id, title }: { readonly id: string; readonly title: string }): string {
  const words = title
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
  const unique = createHash('sha256').update(id).digest('hex').slice(0, 12)
  return `${cut(words).replaceAll(/^-|-$/g, '') || 'untitled'}-${unique}.md`
}

/** Whole characters. */
function cut(text: string): string {
  const [bytes, decoder] = [Buffer.from(text).subarray(0, titleBytes), new TextDecoder()]
  return decoder.decode(bytes, { stream: true })
}
