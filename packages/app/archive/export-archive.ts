/**
 * The lines of a space's archive, read from the log as a stream.
 */
import { createHash } from 'node:crypto'
import { LoomlogError } from '@loomlog/errors'
import type { Generations } from '@loomlog/generations/generations'
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { version } from '@loomlog/host/version'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { partitionOf } from '@loomlog/log/partition'
import { spaceKey } from '@loomlog/schemas/ids'
import { liveServing } from '../generations/live.ts'
import {
  type ArchiveCounts,
  type ArchivedGeneration,
  type ArchiveHeader,
  type ArchiveTrailer,
  archiveFormat,
  archiveVersion,
} from './archive.ts'
import { archivedRecord } from './archived-record.ts'
import { spaceRecords } from './space-records.ts'

export interface ArchiveProgress extends ArchiveCounts {
  /** Records under the space's key that no stage reads, such as damaged ones. */
  readonly unreadable: number
}

/**
 * @param onRecord called after each record
 * @throws LoomlogError `not-found` for a space without a source event; `views-behind` while a forgetting is under way,
 *   and instead of the trailer if one was meanwhile
 */
export async function* archiveLines(
  host: Host,
  place: SpaceAddress,
  onRecord: (progress: ArchiveProgress) => void,
): AsyncGenerator<string> {
  const { tenant, space } = place
  const key = spaceKey(tenant, space)
  const requireNoForgetting = await host.pendingForgettings.requireNoneFromNow(key)
  const hash = createHash('sha256')
  const line = (value: object) => {
    const text = `${JSON.stringify(value)}\n`
    hash.update(text)
    return text
  }
  const known = await readGenerations(host.log, host.codec)
  const serving = liveServing(host, known, tenant)
  const generation = serving === null ? null : definitionOf(serving, known)
  yield line({
    format: archiveFormat,
    version: archiveVersion,
    tenant,
    space,
    loomlog: version,
    generation,
  } satisfies ArchiveHeader)
  // An event that is appended during the export would be without its answers.
  const end = (await host.log.endOffsets('utterances'))[partitionOf(key, host.partitions)] ?? 0
  const counts = { completions: 0, utterances: 0, unreadable: 0 }
  const onUnreadable = () => {
    counts.unreadable += 1
  }
  for (const topic of ['completions', 'utterances'] as const) {
    const limit = topic === 'utterances' ? { end } : {}
    for await (const { event, appendedAt } of spaceRecords(host, { topic, key, onUnreadable, ...limit })) {
      counts[topic] += 1
      yield line(archivedRecord(event, appendedAt))
      onRecord(counts)
    }
  }
  await requireNoForgetting()
  if (counts.utterances === 0) throw new LoomlogError('not-found', `there are no utterances in ${key}`)
  const { completions, utterances } = counts
  const sha256 = hash.digest('hex')
  yield `${JSON.stringify({ end: { completions, utterances, sha256 } } satisfies ArchiveTrailer)}\n`
}

function definitionOf({ id, viewEmbedder, stages }: ServingGeneration, known: Generations): ArchivedGeneration {
  return {
    id,
    viewEmbedder,
    stages: stages.map(({ stage, derivation }) => {
      return { stage, derivation, recipe: known.derivations.get(derivation)?.recipe ?? null }
    }),
  }
}
