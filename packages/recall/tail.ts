/**
 * What stands in the log and not yet in the view: read from the log at the time of the question. So an
 * utterance is found as soon as it is acknowledged, before any processor or view has seen it. What the first stage would not admit
 * is not shown here either, nor what was undone.
 */
import { isLoomlogError } from '@loomlog/errors'
import type { LogRecord } from '@loomlog/log/port'
import { admit } from '@loomlog/schemas/admission'
import type { LoomEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { wordsOf } from '@loomlog/schemas/words'
import type { Memory, Scored } from './memory.ts'
import type { RecallOptions } from './recall.ts'
import { type Stems, stemsOf } from './stems.ts'
import { holdsFor, type Within } from './within.ts'

/**
 * So many records of the tail are looked at, the newest: while a long history comes in, a question must not read all of it. Of a
 * steady stream the view is never that far behind.
 */
export const maxTailRecords = 5_000

export type TailOptions = Pick<RecallOptions, 'log' | 'codec' | 'views'>

export interface TailUtterance {
  readonly event: UtteranceAppended
  readonly record: LogRecord
}

/** @param space `tenant/space` */
export async function readTail(space: string, options: TailOptions): Promise<readonly TailUtterance[]> {
  const { log, views } = options
  const partition = views.partitionOf(space)
  const view = await views.view('utterances', space)
  const seen = view ? (await view.shard.watermark('utterances')).offset : 0
  const end = (await log.endOffsets('utterances'))[partition] ?? 0
  const from = new Map([[partition, Math.max(seen, end - maxTailRecords)]])
  const first = new Map<string, TailUtterance>()
  const undone = new Set<string>()
  for await (const records of log.read({ topic: 'utterances', partitions: [partition], from, until: 'end' })) {
    for (const record of records) {
      const event = record.key === space ? await decoded(record, options) : null
      for (const id of undoneBy(event)) undone.add(id)
      if (event?.type !== 'UtteranceAppended' || first.has(event.id)) continue
      if (admit(event, record.key, [event.type], null).outcome === 'admitted') first.set(event.id, { event, record })
    }
  }
  // The first of an id wins, and that may be one in the view.
  const before = (await view?.shard.byIds('utterances', { space, ids: [...first.keys()] })) ?? []
  for (const { id } of before) first.delete(id)
  return [...first.values()].filter(({ event }) => !undone.has(event.id))
}

function undoneBy(event: LoomEvent | null): readonly string[] {
  return event?.type === 'EvidenceRetracted' && event.derivation === null ? event.utterances : []
}

/** The part of the tail that holds some of the query's words. */
export async function searchTail(
  { space, query, within }: { readonly space: string; readonly query: string; readonly within: Within },
  options: TailOptions,
): Promise<readonly Scored[]> {
  const wanted = [...stemsOf(query).counts.keys()]
  const tail = (await readTail(space, options)).filter(({ event }) => holdsFor(event, within))
  const found = tail.map(memoryOfTail)
  const heldBy = ({ counts }: Stems) => wanted.filter((stem) => counts.has(stem)).length / Math.max(1, wanted.length)
  return found.map((said) => ({ ...said, score: heldBy(stemsOf(said.text)) })).filter(({ score }) => score > 0)
}

async function decoded(record: LogRecord, { codec }: TailOptions): Promise<LoomEvent | null> {
  try {
    return await codec.decode(record.value)
  } catch (error) {
    if (isLoomlogError(error, 'input-invalid') || isLoomlogError(error, 'schema-unknown')) return null
    throw error
  }
}

export function memoryOfTail({ event, record }: TailUtterance): Memory {
  return {
    id: event.id,
    kind: 'utterance',
    space: spaceKey(event.tenant, event.space),
    text: `${event.speaker}: ${wordsOf(event)}`,
    speaker: event.speaker,
    conversation: event.conversation,
    at: event.at,
    offset: record.offset,
    valid: { from: null, to: null },
    known: { from: event.appendedAt, to: null },
    sources: [event.id],
    method: null,
  }
}
