/**
 * `loomlog ingest ARCHIVE`: appends an archived space to a log, and derives its memory. On a server there is no way in:
 * a key that may append messages must not write corrections and answers of models in the name of others.
 */
import { type ArchiveFile, checkArchive } from '@loomlog/app/archive/archive-file'
import { importArchive } from '@loomlog/app/archive/import-archive'
import { otherRecipes } from '@loomlog/app/archive/recipe-difference'
import { prepareGenerations } from '@loomlog/app/generations/configured-generation'
import { processorsOf } from '@loomlog/app/processors'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { spaceKey } from '@loomlog/schemas/ids'
import { count, type Output, print, printJson, printNotice } from '../print.ts'
import { deriveWithProgress } from '../progress-line.ts'

export interface IngestArchiveOptions extends Output {
  readonly file: string
  /** The names that the options give; undefined: none. */
  readonly tenant?: string | undefined
  readonly space?: string | undefined
}

/** Checks the whole file before a log is opened. @throws LoomlogError `input-invalid`, with the line and the reason */
export async function readIngestArchive({ file, ...named }: IngestArchiveOptions): Promise<ArchiveFile> {
  const archive = await checkArchive(file)
  for (const field of ['tenant', 'space'] as const) {
    const [wanted, own] = [named[field], archive.header[field]]
    if (wanted === undefined || wanted === own) continue
    const why = 'the ids of its memories and the keys of its recorded answers come from this name'
    throw new LoomlogError('input-invalid', `--${field} is ${wanted}, and ${file} is of ${own}: ${why}`)
  }
  return archive
}

/** The dry run: the archive is whole, and this is what it holds. */
export function reportArchive({ file, header, counts }: ArchiveFile, { json }: Output): void {
  const { tenant, space } = header
  const held = `${count(counts.utterances)} events and ${count(counts.completions)} recorded answers`
  if (json) printJson({ dryRun: true, format: 'archive', tenant, space, ...counts })
  else
    print(
      `${file} is an archive of ${spaceKey(tenant, space)}: ${held}; every line is whole. Dry run: nothing is appended`,
    )
}

export async function ingestArchive(
  archive: ArchiveFile,
  { json }: Output,
  { host, signal }: { readonly host: Host; readonly signal: AbortSignal },
): Promise<void> {
  const startedAt = performance.now()
  const { tenant, space } = archive.header
  const differences = otherRecipes(archive.header, await prepareGenerations(host, processorsOf(host)))
  if (differences.length > 0)
    printNotice(`loomlog: the memory will differ from the archived one, by other recipes: ${differences.join(', ')}`)
  const { completions, utterances } = archive.counts
  printNotice(`appending ${count(utterances)} events and ${count(completions)} recorded answers from ${archive.file}`)
  const onProgress = (done: number) => printNotice(`${count(done)} records acknowledged`)
  const appended = await importArchive(archive, host, { signal, onProgress })
  if ((await deriveWithProgress(host, { signal })) === null)
    return printNotice('stopped: appended records stay in the log; the same command resumes from here')
  const seconds = (performance.now() - startedAt) / 1_000
  if (json) return printJson({ tenant, space, ...appended, otherRecipes: differences, seconds })
  print(
    `${count(appended.appended)} events appended, ${count(appended.known)} already in the log, in ${spaceKey(tenant, space)}`,
  )
  print(`${count(appended.answers)} recorded answers appended, ${count(appended.knownAnswers)} already in the log`)
  print(`${seconds.toFixed(1)} s`)
}
