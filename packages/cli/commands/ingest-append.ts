/**
 * The append of a planned import, batch by batch, and its derivation. It counts the events that this run appended and
 * those derived from the file since, and none of other writers or other files.
 */
import { countDerived, endsOfDerived } from '@loomlog/app/derived-events'
import { liveServing } from '@loomlog/app/generations/live'
import { LanguageCounter } from '@loomlog/app/languages'
import { modelsOfGeneration } from '@loomlog/app/status'
import { type AppendedEvents, type ImportingMemory, RefusedEvent } from '@loomlog/client/importing-memory'
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import type { AppendCounts } from '@loomlog/intake/append'
import { IdConflict } from '@loomlog/intake/duplicates'
import type { ImportBatch } from '@loomlog/intake/import/batches'
import { conflictAt } from '@loomlog/intake/import/conflicts'
import { languageNotice } from '../language-notice.ts'
import { count, type Output, print, printJson, printNotice } from '../print.ts'
import { deriveWithProgress } from '../progress-line.ts'
import { eventsOf, type PlannedImport } from './planned-import.ts'
import { SlowNotice } from './slow-notice.ts'

/** Largest number of spaces named in the result. */
const maxNamed = 5
/** Largest number of events whose derived events are counted: the ids of all are in memory for it. */
const maxTraced = 200_000

interface AppendPlace extends Output {
  readonly memory: ImportingMemory
  readonly signal: AbortSignal
}

export async function appendToServer(incoming: PlannedImport, place: AppendPlace): Promise<void> {
  const appended = await appendAll(incoming, place)
  if (place.signal.aborted) noticeStopped()
  else if (place.json) printJson(appended)
  else print(`${appendedText(appended)}; the server derives them`)
}

interface DerivePlace extends AppendPlace {
  readonly host: Host
  readonly tenant: string
}

export async function appendAndDerive(incoming: PlannedImport, place: DerivePlace): Promise<void> {
  const { host, tenant, json, signal } = place
  const startedAt = performance.now()
  const isTraced = eventsOf(incoming.plan) <= maxTraced
  const before = await liveOf(tenant, host)
  const since = before === null ? new Map() : await endsOfDerived(host, before)
  const traced: EventRef[] = []
  const languages = new LanguageCounter()
  const { appended, known } = await appendAll(incoming, place, ({ events }) => {
    languages.add(events)
    if (isTraced) for (const event of events) traced.push(refOf(event))
  })
  const everyone = await deriveWithProgress(host, { signal })
  if (everyone === null) return noticeStopped()
  const seconds = (performance.now() - startedAt) / 1_000
  const serving = (await liveOf(tenant, host)) ?? everyone
  const derived = isTraced ? await countDerived(host, serving, { events: traced, since }) : null
  const languageCounts = languages.counts()
  if (json) return printJson({ appended, known, ...derived, languages: languageCounts, seconds })
  print(`${appendedText({ appended, known })}, in ${spacesOf(incoming)}`)
  printDerived(derived)
  const notice = languageNotice(languageCounts, await modelsOfGeneration(host, serving))
  if (notice !== null) print(notice)
  print(`${seconds.toFixed(1)} s`)
}

export function noticeStopped(): void {
  printNotice('stopped: appended events stay in the log; the same command resumes from here')
}

interface EventRef {
  readonly tenant: string
  readonly space: string
  readonly id: string
}

function refOf({ tenant, space, id }: EventRef): EventRef {
  return { tenant, space, id }
}

function printDerived(derived: Readonly<Record<string, number>> | null): void {
  if (derived === null) print(`derived events are not counted for more than ${count(maxTraced)} events`)
  else if (Object.keys(derived).length === 0) print('nothing new is derived from them')
  for (const [name, number] of Object.entries(derived ?? {})) print(`${count(number).padStart(8)} ${name}`)
}

function appendedText({ appended, known }: AppendCounts): string {
  return `${count(appended)} events appended, ${count(known)} already in the log`
}

/** The generation that the tenant reads; null: there is none yet. */
async function liveOf(tenant: string, host: Host): Promise<ServingGeneration | null> {
  return liveServing(host, await readGenerations(host.log, host.codec), tenant)
}

/** @throws LoomlogError for a refused event, with its place in the file */
async function appendAll(
  incoming: PlannedImport,
  { memory, signal }: AppendPlace,
  onAppended: (batch: ImportBatch) => void = () => {},
): Promise<AppendedEvents> {
  const progress = new SlowNotice()
  const all = count(eventsOf(incoming.plan))
  const total = { appended: 0, known: 0, positions: {} }
  for await (const batch of incoming.batches()) {
    const { appended: before, known } = total
    const onProgress = (done: number) =>
      progress.show(`${count(before + done)} events acknowledged, ${count(known)} already in the log, of ${all}`)
    const counts = await appendBatch(batch, { memory, signal, onProgress })
    total.appended += counts.appended
    total.known += counts.known
    Object.assign(total.positions, counts.positions)
    onAppended(batch)
  }
  return total
}

async function appendBatch(
  { events, tenant, where }: ImportBatch,
  { memory, ...options }: Omit<AppendPlace, 'json'> & { onProgress(done: number): void },
): Promise<AppendedEvents> {
  try {
    return await memory.append(events, { ...options, ...(tenant !== null && { tenant }) })
  } catch (error) {
    if (!(error instanceof IdConflict || error instanceof RefusedEvent)) throw error
    const place = where.get(error.event as ImportBatch['events'][number])
    throw conflictAt(place, error, error instanceof RefusedEvent ? '; events before it are appended' : '')
  }
}

function spacesOf({ plan }: PlannedImport): string {
  const spaces = [...plan.last.spaces]
  return spaces.length > maxNamed ? `${count(spaces.length)} spaces, such as ${spaces[0]}` : spaces.join(', ')
}
