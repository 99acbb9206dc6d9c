/** The errors of ids that the log has with other content: each names its place, the field, and a way on. */
import { LoomlogError } from '@loomlog/errors'
import { formatValue } from '@loomlog/errors/invalid-input'
import { partitionOf } from '@loomlog/log/partition'
import type { SourceEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { hash, type Json, spaceKey } from '@loomlog/schemas/ids'
import { type ContentIndexOptions, indexedTopic } from '../content-index.ts'
import { IdConflict, toKeyedEvent } from '../duplicates.ts'

const wayOn =
  'expected the same content (--speaker and other options as in the first import), another id, or a file without it'

export interface Conflict {
  readonly event: SourceEvent
  readonly place: string | undefined
}

/** The index of known ids has only hashes, so the events in the log are read: once for all conflicts. */
export async function conflictErrors(
  conflicts: readonly Conflict[],
  options: ContentIndexOptions,
): Promise<readonly LoomlogError[]> {
  const keyed = conflicts.map(({ event, place }) => ({ ...toKeyedEvent(event), place }))
  const logged = await eventsInLog(keyed, options)
  return keyed.map(({ event, key, place }) => {
    const differences = differencesOf(event, logged.get(key))
    const cause = new IdConflict(event)
    return conflictAt(place, cause, `${differences}; ${wayOn}`)
  })
}

/** The error with the place of its event in the file, if it has one. */
export function conflictAt(place: string | undefined, cause: LoomlogError, more = ''): LoomlogError {
  const where = place === undefined ? '' : `${place}: `
  return new LoomlogError(cause.code, `${where}${cause.message}${more}`, { cause })
}

interface SoughtEvent {
  readonly space: string
  readonly key: string
}

/** The first event of each id since the last forgetting of its space, as it is the one that holds. */
async function eventsInLog(
  sought: readonly SoughtEvent[],
  { log, codec }: ContentIndexOptions,
): Promise<ReadonlyMap<string, SourceEvent>> {
  const found = new Map<string, SourceEvent>()
  if (sought.length === 0) return found
  const keys = new Set(sought.map(({ key }) => key))
  const count = (await log.endOffsets(indexedTopic)).length
  const partitions = [...new Set(sought.map(({ space }) => partitionOf(space, count)))]
  for await (const records of log.read({ topic: indexedTopic, partitions, until: 'end' }))
    for (const { value } of records) {
      const event = (await codec.decodeOwn(value)) as SourceEvent | null
      if (event?.type === 'SubjectForgotten') {
        const forgotten = sought.filter(({ space }) => space === spaceKey(event.tenant, event.space))
        for (const { key } of forgotten) found.delete(key)
      }
      const key = event === null ? null : toKeyedEvent(event).key
      if (event !== null && key !== null && keys.has(key) && !found.has(key)) found.set(key, event)
    }
  return found
}

function differencesOf(event: SourceEvent, inLog: SourceEvent | undefined): string {
  if (event.type !== 'UtteranceAppended' || inLog?.type !== 'UtteranceAppended') return ''
  const [mine, theirs] = [event, inLog].map(comparedFields)
  const differing = Object.entries(mine ?? {}).filter(
    ([field, value]) => hash([value]) !== hash([theirs?.[field] ?? null]),
  )
  const texts = differing.map(
    ([field, value]) => `${field} is ${formatValue(value)}, and ${formatValue(theirs?.[field])} in the log`,
  )
  return texts.length === 0 ? '' : `: ${texts.join('; ')}`
}

function comparedFields({ at, isTimeGiven, ...event }: UtteranceAppended): { readonly [field: string]: Json } {
  const { conversation, speaker, role, text, attachments, metadata } = event
  const time = isTimeGiven ? new Date(at).toISOString() : 'not given'
  return { conversation, speaker, role, at: time, text, attachments, metadata } as unknown as { [field: string]: Json }
}
