/**
 * `loomlog ingest FILE`: appends the conversations of a file, and derives the memory; that of a server is derived
 * there. Repeated, it changes nothing, so the same command continues one that was stopped or killed.
 *
 * The file is read three times, each time as a stream: for its plan, so that a wrong file appends nothing and creates
 * no log; to compare it with the log, so that a conflict appends nothing either; and to append it.
 */
import type { ImportingMemory } from '@loomlog/client/importing-memory'
import { LoomlogError } from '@loomlog/errors'
import type { Host } from '@loomlog/host/open'
import { compareWithLog, type LogComparison } from '@loomlog/intake/import/compare'
import type { ImportPlan } from '@loomlog/intake/import/plan'
import { type ImportSource, openFileSource, openInputSource } from '@loomlog/intake/import/source'
import { checkedAddress, checkedName, checkedTime } from '@loomlog/intake/utterance'
import type { Work } from '../command-frame.ts'
import { defaultSpace } from '../default-space.ts'
import { count, type Output, printJson, printNotice } from '../print.ts'
import { appendAndDerive, appendToServer, noticeStopped } from './ingest-append.ts'
import { type DryRunComparison, reportDryRun } from './ingest-dry-run.ts'
import { eventsOf, type IngestOptions, type PlannedImport, plannedImport } from './planned-import.ts'

export interface IngestPlaces {
  readonly signal: AbortSignal
  /** Whether there is a log already. */
  readonly hasLog: boolean
  readonly isOnServer: boolean
  withMemory(work: Work<ImportingMemory>): Promise<void>
  withLog(work: (host: Host) => Promise<void>): Promise<void>
}

export async function ingest(options: IngestOptions, places: IngestPlaces): Promise<void> {
  checkOptions(options)
  const { signal } = places
  const source = await openedSource(options.file, signal)
  if (source === null) return noticeNothing()
  try {
    const incoming = await plannedImport(source, options, signal)
    if (signal.aborted) return noticeNothing()
    if (options.isDryRun) await dryRun(incoming, options, places)
    else await appendPlanned(incoming, options, places)
  } finally {
    await source[Symbol.asyncDispose]()
  }
}

/** Null: the signal stopped the copy of standard input. */
async function openedSource(file: string, signal: AbortSignal): Promise<ImportSource | null> {
  try {
    return await (file === '-' ? openInputSource(process.stdin, signal) : openFileSource(file, signal))
  } catch (error) {
    if (signal.aborted) return null
    throw error
  }
}

function noticeNothing(): void {
  printNotice('stopped: nothing is appended')
}

/** @throws InvalidField, before the file is read */
function checkOptions({ tenant, space, speaker, conversation, at }: IngestOptions): void {
  checkedAddress({ tenant, space: space ?? defaultSpace })
  checkedName(speaker, '--speaker')
  if (conversation !== null) checkedName(conversation, '--conversation')
  if (at !== null) checkedTime(at, '--at')
}

async function dryRun(incoming: PlannedImport, options: IngestOptions, places: IngestPlaces): Promise<void> {
  const { hasLog, isOnServer, signal } = places
  let compared: DryRunComparison = isOnServer ? 'server' : hasLog ? 'faults' : 'no log'
  if (compared === 'faults' && incoming.plan.faultCount === 0)
    await places.withLog(async (host) => {
      compared = await comparedWith(host, incoming)
    })
  if (signal.aborted) return noticeNothing()
  reportDryRun(incoming, compared, options)
}

async function appendPlanned(incoming: PlannedImport, options: IngestOptions, places: IngestPlaces): Promise<void> {
  const { source, plan } = incoming
  refuseFaults(plan)
  noticePlan(incoming, places)
  if (plan.utterances === 0) {
    printNotice(`loomlog: ${source.name} has no utterance: nothing is appended`)
    if (!places.hasLog) return reportEmpty(source, options)
  } else printNotice(`appending ${count(eventsOf(plan))} events from ${source.name}`)
  await places.withMemory(async (memory, host) => {
    if (host === null) return appendToServer(incoming, { ...options, memory, signal: places.signal })
    const { conflicts } = await comparedWith(host, incoming)
    const [conflict] = conflicts
    if (conflict !== undefined) throw conflict
    if (places.signal.aborted) return noticeStopped()
    await appendAndDerive(incoming, { ...options, memory, host, signal: places.signal })
  })
}

/**
 * A file without an utterance is no failure, as an export of a day without messages. It creates no log; an existing one
 * is derived as by any ingest.
 */
function reportEmpty({ name }: ImportSource, { json }: Output): void {
  if (json) printJson({ appended: 0, known: 0, notices: [`${name} has no utterance`] })
}

/** @throws LoomlogError: the first fault of the file, with the number of the others */
function refuseFaults({ faults, faultCount }: ImportPlan): void {
  const [first] = faults
  if (first === undefined) return
  const others = faultCount === 1 ? '' : `; and ${count(faultCount - 1)} more faults, which --dry-run lists`
  throw new LoomlogError(first.code, `${first.message}${others}`, { cause: first })
}

/** Decisions about the file that the user may want to change. */
function noticePlan({ source, plan }: PlannedImport, { isOnServer }: IngestPlaces): void {
  const { untimed, leftOut } = plan
  const time = isOnServer ? 'their append' : `the file, ${source.fileTime?.toISOString()}`
  if (untimed > 0) printNotice(`${count(untimed)} messages have no time: they get that of ${time}; --at gives another`)
  for (const [reason, number] of Object.entries(leftOut)) printNotice(`${count(number)} left out: ${reason}`)
}

function comparedWith({ log, codec, config }: Host, incoming: PlannedImport): Promise<LogComparison> {
  return compareWithLog(incoming.batches(), incoming.plan, { log, codec, dir: config.dir })
}
