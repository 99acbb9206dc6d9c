/**
 * The log tail of a space: utterances that are in the log and in no view yet, read at the time of the question. So an
 * utterance is found as soon as it is acknowledged. Records that the first stage would not admit and retracted
 * utterances are left out.
 */
import { isLoomlogError } from '@loomlog/errors'
import { endOffsetsInTime } from '@loomlog/log/end-offsets-in-time'
import type { LogRecord } from '@loomlog/log/port'
import { admit } from '@loomlog/schemas/admission'
import type { LoomEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { utteranceText } from '@loomlog/schemas/utterance-text'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import type { Memory } from '../memory.ts'
import { once } from '../once.ts'
import type { RecallOptions } from '../recall-options.ts'

/** Newest records of the space that are decoded, so that a question stays fast during a long import. */
export const maxTailRecords = 5_000
/**
 * Newest records of the partition that are read, some 50 ms. If the view is further behind, the result has the number
 * of unread records.
 */
export const maxTailRead = 20_000

export type TailOptions = Pick<RecallOptions, 'log' | 'codec' | 'views' | 'onLogAway'>

export interface TailUtterance {
  readonly event: UtteranceAppended
  readonly record: LogRecord
}

export interface Tail {
  readonly utterances: readonly TailUtterance[]
  /** Records that are in no view and were not read. */
  readonly unsearched: number
}

/** @param space `tenant/space` */
export async function readTail(space: string, options: TailOptions): Promise<readonly TailUtterance[]> {
  return (await tailOf(space, options)).utterances
}

export async function tailOf(space: string, options: TailOptions): Promise<Tail> {
  try {
    return await readTailOf(space, options)
  } catch (error) {
    if (options.onLogAway === undefined || !isLoomlogError(error, 'log-unavailable')) throw error
    options.onLogAway(error.message)
    return { utterances: [], unsearched: 0 }
  }
}

async function readTailOf(space: string, options: TailOptions): Promise<Tail> {
  const { views } = options
  const partition = views.partitionOf(space)
  const seen = await views.watermark('utterances', partition)
  const { own, unsearched } = await newestOf(space, { partition, seen }, options)
  const first = new Map<string, TailUtterance>()
  const retracted = new Set<string>()
  let isRestarted = false
  for (const record of own) {
    const event = await options.codec.decodeOwn(record.value)
    if (event?.type === 'SubjectForgotten' && spaceKey(event.tenant, event.space) === space) {
      first.clear()
      retracted.clear()
      isRestarted = true
    }
    for (const id of retractedBy(event)) retracted.add(id)
    if (event?.type !== 'UtteranceAppended' || first.has(event.id)) continue
    if (admit(event, record.key, [event.type], null).outcome === 'admitted') first.set(event.id, { event, record })
  }
  // The first record of an id wins, and that may be one in the view. Before a forgetting, it is void.
  const before = isRestarted ? [] : await views.byIds(utteranceTable, space, [...first.keys()])
  for (const { id } of before) first.delete(id)
  return { utterances: [...first.values()].filter(({ event }) => !retracted.has(event.id)), unsearched }
}

/** Reads the tail at the first call, and returns the same tail to all others. */
export function memoizedTail(space: string, options: TailOptions): () => Promise<Tail> {
  return once(() => tailOf(space, options))
}

/** Reads the newest records of the partition, and keeps those of the space. */
async function newestOf(
  space: string,
  { partition, seen }: { readonly partition: number; readonly seen: number },
  { log }: TailOptions,
): Promise<{ readonly own: readonly LogRecord[]; readonly unsearched: number }> {
  const end = (await endOffsetsInTime(log, 'utterances'))[partition] ?? 0
  const start = Math.max(seen, end - maxTailRead)
  const read = {
    topic: 'utterances',
    partitions: [partition],
    from: new Map([[partition, start]]),
    until: 'end',
  } as const
  const own: LogRecord[] = []
  let skipped = 0
  for await (const records of log.read(read)) {
    own.push(...records.filter(({ key }) => key === space))
    skipped += own.splice(0, Math.max(0, own.length - maxTailRecords)).length
  }
  return { own, unsearched: start - seen + skipped }
}

function retractedBy(event: LoomEvent | null): readonly string[] {
  return event?.type === 'EvidenceRetracted' && event.derivation === null ? event.utterances : []
}

export function memoryOfTail({ event, record }: TailUtterance): Memory {
  return {
    id: event.id,
    kind: 'utterance',
    space: spaceKey(event.tenant, event.space),
    text: `${event.speaker}: ${utteranceText(event)}`,
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
