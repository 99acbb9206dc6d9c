/**
 * Appends a checked archive to a log. Its space must hold nothing there, or be a beginning or a continuation of the
 * archive: then the order of the space stays that of the archive, and so does the memory. The answers come first, so
 * that no stage asks a model for one. The events are one append, so an interrupted reading leaves all of them or none,
 * and no record of another process comes between: a server would end conversations of the archive halfway. On Kafka,
 * whose appends are not atomic, the refusals below are all that holds this.
 */
import { isDeepStrictEqual } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { quietSpacesGroup } from '@loomlog/gateway/quiet-conversations'
import type { Host } from '@loomlog/host/open'
import { type AppendCounts, recordOf } from '@loomlog/intake/append'
import { partitionOf } from '@loomlog/log/partition'
import type { NewRecord } from '@loomlog/log/port'
import { contentHash } from '@loomlog/schemas/admission'
import type { AnswerRecorded, SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { oneLine } from '@loomlog/schemas/one-line'
import { type ArchiveFile, type RecordAtLine, recordsOf } from './archive-file.ts'
import { spaceRecords } from './space-records.ts'

export interface ImportedArchive extends AppendCounts {
  /** Recorded answers that are newly durable. */
  readonly answers: number
  readonly knownAnswers: number
}

interface ImportOptions {
  /** Stops before the next durable append. */
  readonly signal: AbortSignal
  onProgress(done: number): void
}

/** Answers of one append. */
const batchAnswers = 500

/**
 * @throws LoomlogError before any event is appended: `input-invalid` where the space has other records, `group-in-use`
 * where a server runs on the log, or where another process appends to the space meanwhile
 */
export async function importArchive(
  archive: ArchiveFile,
  host: Host,
  options: ImportOptions,
): Promise<ImportedArchive> {
  const partition = partitionOf(keyOf(archive), host.partitions)
  await host.completions.follow(partition)
  const end = (await host.log.endOffsets('utterances'))[partition] ?? 0
  const present = await compareWithLog(archive, host, end)
  if (present < archive.counts.utterances) await refuseBesideServer(host)
  const { answers, events } = await appendAnswers(archive, { host, present, ...options })
  const appended = options.signal.aborted ? 0 : await appendEvents(archive, { host, events, end })
  if (appended > 0) options.onProgress(answers + appended)
  return { appended, known: present, answers, knownAnswers: archive.counts.completions - answers }
}

function keyOf({ header }: ArchiveFile): string {
  return spaceKey(header.tenant, header.space)
}

/** The number of the archive's events that begin the space in the log. @param end default: that of the log */
async function compareWithLog(archive: ArchiveFile, host: Host, end = Number.POSITIVE_INFINITY): Promise<number> {
  const present = spaceRecords(host, { topic: 'utterances', key: keyOf(archive), end })
  let events = 0
  try {
    for await (const record of recordsOf(archive)) {
      if (record.topic === 'completions') await checkAnswer(archive, record, host)
      else {
        const { value } = await present.next()
        if (!value) break
        // Decoded, of this space, and of this topic.
        checkEvent(archive, record, value.event as SourceEvent)
        events += 1
      }
    }
    return events
  } finally {
    await present.return(undefined)
  }
}

type AnswerAtLine = Extract<RecordAtLine, { readonly topic: 'completions' }>
type EventAtLine = Extract<RecordAtLine, { readonly topic: 'utterances' }>

/** Another answer of an ask would give another memory, and the first one in the log counts. */
async function checkAnswer(archive: ArchiveFile, record: AnswerAtLine, { completions }: Host): Promise<void> {
  const { event } = record
  const there = await completions.lookup(event.key)
  if (there !== null && !isDeepStrictEqual(outcomeOf(there), outcomeOf(event)))
    throw refused(archive, record, `the log has another answer of ${event.task} for ${event.key}`)
}

function outcomeOf({ answer, vector, none }: AnswerRecorded) {
  return { answer, vector, none }
}

function checkEvent(archive: ArchiveFile, record: EventAtLine, there: SourceEvent): void {
  const { event } = record
  if (there.id !== event.id) throw refused(archive, record, `the log has ${there.id} where the archive has ${event.id}`)
  if (contentHash(there) !== contentHash(event))
    throw refused(archive, record, `the log has ${event.id} with other content`)
}

function refused(archive: ArchiveFile, { line }: RecordAtLine, why: string): LoomlogError {
  const advice = 'read the archive into a folder without this space'
  const message = `${archive.file}:${line}: ${keyOf(archive)} has other records: ${why}: ${advice}`
  return new LoomlogError('input-invalid', oneLine(message))
}

/**
 * A server or an open memory ends conversations that are quiet by their log time. The archive's are old, so between two
 * requests of an append to Kafka each would get a pause, where the archive has none.
 */
async function refuseBesideServer({ log, config }: Host): Promise<void> {
  const busy = (await log.groups()).some(({ group, owner }) => group === quietSpacesGroup && owner !== null)
  if (!busy) return
  const why = 'it may end conversations of the archive before their next utterance is read'
  throw new LoomlogError('group-in-use', `another process derives ${config.dir}, and ${why}: stop it first`)
}

/**
 * Answers keep their log time, by which spending is counted: a copy costs nothing today.
 * @param reading `present`: the number of events that the log has
 * @returns the number of appended answers, and the further events, whose file is proven to be the checked one
 */
async function appendAnswers(
  archive: ArchiveFile,
  { host, present, signal, onProgress }: ImportOptions & { readonly host: Host; readonly present: number },
): Promise<{ readonly answers: number; readonly events: readonly NewRecord[] }> {
  const key = keyOf(archive)
  const events: NewRecord[] = []
  let batch: NewRecord[] = []
  let [answers, eventsRead] = [0, 0]
  const flush = async () => {
    if (batch.length === 0 || signal.aborted) return
    await host.log.append('completions', batch)
    answers += batch.length
    batch = []
    onProgress(answers)
  }
  for await (const record of recordsOf(archive)) {
    if (signal.aborted) break
    if (record.topic === 'utterances') {
      eventsRead += 1
      if (eventsRead > present) events.push(recordOf(record.event, host.codec))
    } else if ((await host.completions.lookup(record.event.key)) === null) {
      batch.push({ key, value: host.codec.encode(record.event), timestamp: record.appendedAt })
      if (batch.length === batchAnswers) await flush()
    }
  }
  await flush()
  return { answers, events }
}

/**
 * @param reading `end`: the offset up to which the space was compared
 * @throws LoomlogError `group-in-use`, before the append; `input-invalid` where a record has come between even so
 */
async function appendEvents(
  archive: ArchiveFile,
  { host, events, end }: { readonly host: Host; readonly events: readonly NewRecord[]; readonly end: number },
): Promise<number> {
  if (events.length === 0) return 0
  const key = keyOf(archive)
  if ((await recordsSince(host, key, end)) > 0) {
    const advice = 'repeat the command if that was the same archive, else read it into a folder without this space'
    const why = `another process has appended to ${key} meanwhile; no event of the archive is appended`
    throw new LoomlogError('group-in-use', `${why}: ${advice}`)
  }
  await host.log.append('utterances', events)
  if ((await recordsSince(host, key, end)) > events.length) await compareWithLog(archive, host)
  return events.length
}

async function recordsSince({ log, partitions }: Host, key: string, offset: number): Promise<number> {
  const partition = partitionOf(key, partitions)
  const from = new Map([[partition, offset]])
  let found = 0
  for await (const records of log.read({ topic: 'utterances', partitions: [partition], from, until: 'end' }))
    found += records.filter((record) => record.key === key).length
  return found
}
