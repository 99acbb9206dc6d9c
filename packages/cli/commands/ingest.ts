/**
 * `loomlog ingest FILE`: appends the conversations of a file, and derives the memory; that of a server is derived
 * there. Repeated, it changes nothing. It counts the events that this run appended and those derived from the file
 * since, and none of other writers or other files.
 */
import { readFile } from 'node:fs/promises'
import { countDerived, endsOfDerived } from '@loomlog/app/derived-events'
import { liveServing } from '@loomlog/app/generations/live'
import { countLanguages } from '@loomlog/app/languages'
import { modelsOfGeneration } from '@loomlog/app/status'
import type { AppendedEvents, ImportingMemory } from '@loomlog/client/importing-memory'
import { LoomlogError } from '@loomlog/errors'
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import type { AppendCounts } from '@loomlog/intake/append'
import { IdConflict } from '@loomlog/intake/duplicates'
import { decodeText, formats, readFormat } from '@loomlog/intake/formats'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import type { SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { languageNotice } from '../language-notice.ts'
import { count, type Output, print, printJson, printNotice } from '../print.ts'
import { deriveWithProgress } from '../progress-line.ts'

export interface IngestOptions extends Output {
  readonly file: string
  readonly format: string
  readonly place: SpaceAddress
}

export interface IngestFile {
  readonly events: ReturnType<typeof readFormat>
  /** File and line of each utterance, for messages. */
  readonly where: ReadonlyMap<SourceEvent, string>
}

/** Largest number of spaces named in the result. */
const maxNamed = 5

/** Checks the file before a log is opened, so that a wrong file creates none. @throws LoomlogError `input-invalid` */
export async function readIngestFile({ file, place, format }: IngestOptions): Promise<IngestFile> {
  const known = formats.find((each) => each === format)
  if (!known) throw new LoomlogError('input-invalid', `--format is ${format}: expected ${formats.join(' or ')}`)
  const text = decodeText(file, await bytesOf(file))
  const where = new Map<SourceEvent, string>()
  const onRead = (event: SourceEvent, at: string) => void where.set(event, at)
  return { events: readFormat(known, { file, text, place, appendedAt: Date.now(), onRead }), where }
}

/**
 * A file without an utterance is no failure, as an export of a day without messages. It creates no log; an existing one
 * is derived as by any ingest.
 */
export function reportEmptyFile({ file, json }: Pick<IngestOptions, 'file' | 'json'>): void {
  noticeEmptyFile(file)
  if (json) printJson({ appended: 0, known: 0, notices: [`${file} has no utterance`] })
}

function noticeEmptyFile(file: string): void {
  printNotice(`loomlog: ${file} has no utterance: nothing is appended`)
}

/** @param host null: the memory is that of a server, which derives later */
export async function ingest(
  options: IngestOptions,
  incoming: IngestFile,
  {
    memory,
    host,
    signal,
  }: { readonly memory: ImportingMemory; readonly host: Host | null; readonly signal: AbortSignal },
): Promise<void> {
  if (incoming.events.length === 0) noticeEmptyFile(options.file)
  else printNotice(`appending ${count(incoming.events.length)} events from ${options.file}`)
  const append = () => appendAll(incoming, memory, signal)
  if (host === null) reportAppended(await append(), options, signal)
  else await appendAndDerive(append, options, incoming, { host, signal })
}

function reportAppended(appended: AppendedEvents, { json }: Output, signal: AbortSignal): void {
  if (signal.aborted) noticeStopped()
  else if (json) printJson(appended)
  else print(`${appendedText(appended)}; the server derives them`)
}

async function appendAndDerive(
  append: () => Promise<AppendedEvents>,
  { place, json }: IngestOptions,
  incoming: IngestFile,
  { host, signal }: { readonly host: Host; readonly signal: AbortSignal },
): Promise<void> {
  const startedAt = performance.now()
  const before = await liveOf(place, host)
  const since = before === null ? new Map() : await endsOfDerived(host, before)
  const { appended, known } = await append()
  const everyone = await deriveWithProgress(host, { signal })
  if (everyone === null) return noticeStopped()
  const seconds = (performance.now() - startedAt) / 1_000
  const serving = (await liveOf(place, host)) ?? everyone
  const derived = await countDerived(host, serving, { events: incoming.events, since })
  const languages = countLanguages(incoming.events)
  if (json) return printJson({ appended, known, ...derived, languages, seconds })
  print(`${appendedText({ appended, known })}, in ${spacesOf(incoming)}`)
  if (Object.keys(derived).length === 0) print('nothing new is derived from them')
  for (const [name, number] of Object.entries(derived)) print(`${count(number).padStart(8)} ${name}`)
  const notice = languageNotice(languages, await modelsOfGeneration(host, serving))
  if (notice !== null) print(notice)
  print(`${seconds.toFixed(1)} s`)
}

function noticeStopped(): void {
  printNotice('stopped: appended events stay in the log; the same command resumes from here')
}

function appendedText({ appended, known }: AppendCounts): string {
  return `${count(appended)} events appended, ${count(known)} already in the log`
}

/** The generation that the tenant reads; null: there is none yet. */
async function liveOf({ tenant }: SpaceAddress, host: Host): Promise<ServingGeneration | null> {
  return liveServing(host, await readGenerations(host.log, host.codec), tenant)
}

/** @throws LoomlogError `id-conflict`, on a log with the line */
async function appendAll(
  { events, where }: IngestFile,
  memory: ImportingMemory,
  signal: AbortSignal,
): Promise<AppendedEvents> {
  const onProgress = (done: number) => printNotice(`${count(done)} events acknowledged`)
  try {
    return await memory.append(events, { signal, onProgress })
  } catch (error) {
    const at = error instanceof IdConflict && where.get(error.event)
    throw at ? new LoomlogError('id-conflict', `${at}: ${error.message}`, { cause: error }) : error
  }
}

function spacesOf({ events }: IngestFile): string {
  const spaces = [...new Set(events.map(({ tenant, space }) => spaceKey(tenant, space)))]
  return spaces.length > maxNamed ? `${spaces.length} spaces, such as ${spaces[0]}` : spaces.join(', ')
}

const unreadable: { readonly [code: string]: string } = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    throw new LoomlogError('input-invalid', `${file} can't be read: ${unreadable[code] ?? message}`, { cause })
  }
}
