/**
 * Appends what came in, once: what stands in the log already with the same id and content is left out, and the same id with other
 * content is refused before anything is written.
 */
import { LoomlogError } from '@loomlog/errors'
import { partitionOf } from '@loomlog/log/partition'
import type { Log } from '@loomlog/log/port'
import { contentHash } from '@loomlog/schemas/admission'
import type { Codec } from '@loomlog/schemas/codec'
import type { SourceEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'

const topic = 'utterances'
/** Records in one durable append. */
const batchRecords = 500

export interface AppendOptions {
  readonly log: Log
  readonly codec: Codec
  readonly signal?: AbortSignal
  /** Told after every batch that is durable. */
  onProgress?(done: number): void
}

export interface Appended {
  readonly appended: number
  /** In the log already, with the same content. */
  readonly known: number
}

/** @throws LoomlogError `id-conflict` before anything is written */
export async function appendOnce(events: readonly SourceEvent[], options: AppendOptions): Promise<Appended> {
  const known = await knownContents(events, options)
  const fresh = events.filter((event) => isNew(event, known))
  for (let start = 0; start < fresh.length; start += batchRecords) {
    if (options.signal?.aborted) break
    const batch = fresh.slice(start, start + batchRecords)
    await options.log.append(
      topic,
      batch.map((event) => recordOf(event, options.codec)),
    )
    options.onProgress?.(start + batch.length)
  }
  return { appended: fresh.length, known: events.length - fresh.length }
}

export function recordOf(event: SourceEvent, codec: Codec) {
  return { key: spaceKey(event.tenant, event.space), value: codec.encode(event), timestamp: event.appendedAt }
}

/** Also keeps a second copy within the same input out. */
function isNew(event: SourceEvent, known: Map<string, string>): boolean {
  const id = `${spaceKey(event.tenant, event.space)}/${event.id}`
  const content = contentHash(event)
  const before = known.get(id)
  if (before === undefined) {
    known.set(id, content)
    return true
  }
  if (before === content) return false
  throw new LoomlogError(
    'id-conflict',
    `the id ${event.id} is in ${event.tenant}/${event.space} already, with other content`,
  )
}

async function knownContents(events: readonly SourceEvent[], options: AppendOptions): Promise<Map<string, string>> {
  const spaces = new Set(events.map((event) => spaceKey(event.tenant, event.space)))
  const count = (await options.log.endOffsets(topic)).length
  const partitions = [...new Set([...spaces].map((space) => partitionOf(space, count)))]
  const known = new Map<string, string>()
  for await (const records of options.log.read({ topic, partitions, until: 'end' })) {
    for (const record of records) {
      if (record.key === null || !spaces.has(record.key)) continue
      const event = (await options.codec.decode(record.value)) as SourceEvent
      const id = `${record.key}/${event.id}`
      if (!known.has(id)) known.set(id, contentHash(event))
    }
  }
  return known
}
