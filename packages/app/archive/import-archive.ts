/**
 * Appends a checked archive to a log. Its space must hold nothing there, or be a beginning or a continuation of the
 * archive: then the order of the space stays that of the archive, and so does the memory. A repetition appends nothing,
 * and an interrupted one resumes. The answers come first, so that no stage asks a model for one.
 */
import { isDeepStrictEqual } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { quietSpacesGroup } from '@loomlog/gateway/quiet-conversations'
import type { Host } from '@loomlog/host/open'
import { type AppendCounts, Intake } from '@loomlog/intake/append'
import { partitionOf } from '@loomlog/log/partition'
import type { NewRecord } from '@loomlog/log/port'
import { contentHash } from '@loomlog/schemas/admission'
import type { AnswerRecorded, SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
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

/** Records of one append. */
const batchRecords = 500

/**
 * @throws LoomlogError before any write: `input-invalid` where the space has other records, `group-in-use` where a
 * server runs on the log
 */
export async function importArchive(
  archive: ArchiveFile,
  host: Host,
  options: ImportOptions,
): Promise<ImportedArchive> {
  const key = spaceKey(archive.header.tenant, archive.header.space)
  await host.completions.follow(partitionOf(key, host.partitions))
  await checkAnswers(archive, host)
  const present = await presentEvents(archive, host, key)
  if (present < archive.counts.utterances) await refuseBesideServer(host)
  const answers = await appendAnswers(archive, host, options)
  const events = await appendEvents(archive, host, options)
  return { ...events, answers, knownAnswers: archive.counts.completions - answers }
}

/** Another answer of an ask would give another memory, and the first one in the log counts. */
async function checkAnswers(archive: ArchiveFile, { completions }: Host): Promise<void> {
  for await (const record of recordsOf(archive)) {
    if (record.topic !== 'completions') return
    const there = await completions.lookup(record.event.key)
    if (there !== null && !isDeepStrictEqual(outcomeOf(there), outcomeOf(record.event)))
      throw refused(archive, record, `the log has another answer of ${record.event.task} for ${record.event.key}`)
  }
}

function outcomeOf({ answer, vector, none }: AnswerRecorded) {
  return { answer, vector, none }
}

/** The number of the archive's events that begin the space in the log. */
async function presentEvents(archive: ArchiveFile, host: Host, key: string): Promise<number> {
  const present = spaceRecords(host, { topic: 'utterances', key })
  let events = 0
  try {
    for await (const record of recordsOf(archive)) {
      if (record.topic !== 'utterances') continue
      const { value } = await present.next()
      if (!value) break
      // Decoded, of this space, and of this topic.
      const there = value.event as SourceEvent
      const { event } = record
      if (there.id !== event.id)
        throw refused(archive, record, `the log has ${there.id} where the archive has ${event.id}`)
      if (contentHash(there) !== contentHash(event))
        throw refused(archive, record, `the log has ${event.id} with other content`)
      events += 1
    }
    return events
  } finally {
    await present.return(undefined)
  }
}

/**
 * A server or an open memory ends conversations that are quiet by their log time. The archive's are old, so each would
 * get a pause between two appends, where the archive has none.
 */
async function refuseBesideServer({ log, config }: Host): Promise<void> {
  const busy = (await log.groups()).some(({ group, owner }) => group === quietSpacesGroup && owner !== null)
  if (!busy) return
  const why = 'it would end conversations of the archive before their next utterance is read'
  throw new LoomlogError('group-in-use', `another process derives ${config.dir}, and ${why}: stop it first`)
}

function refused({ file, header }: ArchiveFile, { line }: RecordAtLine, why: string): LoomlogError {
  const { tenant, space } = header
  const advice = 'read the archive into a folder without this space'
  return new LoomlogError('input-invalid', `${file}:${line}: ${tenant}/${space} has other records: ${why}: ${advice}`)
}

/** Answers keep their log time, by which spending is counted: a copy costs nothing today. */
async function appendAnswers(archive: ArchiveFile, host: Host, { signal, onProgress }: ImportOptions): Promise<number> {
  const key = spaceKey(archive.header.tenant, archive.header.space)
  let appended = 0
  let batch: NewRecord[] = []
  const flush = async () => {
    if (batch.length === 0 || signal.aborted) return
    await host.log.append('completions', batch)
    appended += batch.length
    batch = []
    onProgress(appended)
  }
  for await (const record of recordsOf(archive)) {
    if (record.topic !== 'completions' || signal.aborted) break
    const { appendedAt: timestamp, event } = record
    if ((await host.completions.lookup(event.key)) !== null) continue
    batch.push({ key, value: host.codec.encode(event), timestamp })
    if (batch.length === batchRecords) await flush()
  }
  await flush()
  return appended
}

async function appendEvents(
  archive: ArchiveFile,
  { log, codec, config }: Host,
  { signal, onProgress }: ImportOptions,
): Promise<AppendCounts> {
  const intake = new Intake({ log, codec, dir: config.dir })
  const counts = { appended: 0, known: 0 }
  let batch: SourceEvent[] = []
  const flush = async () => {
    if (batch.length === 0 || signal.aborted) return
    const { appended, known } = await intake.append(batch, { signal })
    counts.appended += appended
    counts.known += known
    batch = []
    onProgress(archive.counts.completions + counts.appended + counts.known)
  }
  try {
    for await (const record of recordsOf(archive)) {
      if (record.topic !== 'utterances') continue
      if (signal.aborted) break
      batch.push(record.event)
      if (batch.length === batchRecords) await flush()
    }
    await flush()
    return counts
  } finally {
    await intake.close()
  }
}
