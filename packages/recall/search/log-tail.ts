/**
 * What stands in the log and not yet in the view: read from the log at the time of the question. So an
 * utterance is found as soon as it is acknowledged, before any processor or view has seen it. What the first stage would not admit
 * is not shown here either, nor what was undone.
 */
import type { LogRecord } from '@loomlog/log/port'
import { admit } from '@loomlog/schemas/admission'
import type { LoomEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { wordsOf } from '@loomlog/schemas/words'
import { utterances } from '@loomlog/views/tables/utterances'
import type { Memory, Scored } from '../memory.ts'
import type { RecallOptions } from '../recall-options.ts'
import { holdsFor, type Within } from '../request/scope.ts'
import { type Stems, stemsOf } from '../text/stems.ts'

/** So many records of the space are looked at, the newest: while a long history comes in, a question must not take all of it apart. */
export const maxTailRecords = 5_000
/**
 * Of all spaces together so many are read for it, the newest: some 50 ms. Of a steady stream the view is never that far behind; where it
 * is, the answer says so.
 */
export const maxTailRead = 20_000

export type TailOptions = Pick<RecallOptions, 'log' | 'codec' | 'views'>

export interface TailUtterance {
  readonly event: UtteranceAppended
  readonly record: LogRecord
}

export interface Tail {
  readonly said: readonly TailUtterance[]
  /** Records that stand in no view and were not looked at either. */
  readonly unsearched: number
}

/** @param space `tenant/space` */
export async function readTail(space: string, options: TailOptions): Promise<readonly TailUtterance[]> {
  return (await tailOf(space, options)).said
}

export async function tailOf(space: string, options: TailOptions): Promise<Tail> {
  const { views } = options
  const partition = views.partitionOf(space)
  const seen = await views.watermark('utterances', partition)
  const { own, unsearched } = await newestOf(space, { partition, seen }, options)
  const first = new Map<string, TailUtterance>()
  const undone = new Set<string>()
  for (const record of own) {
    const event = await options.codec.decodeOrNull(record.value)
    for (const id of undoneBy(event)) undone.add(id)
    if (event?.type !== 'UtteranceAppended' || first.has(event.id)) continue
    if (admit(event, record.key, [event.type], null).outcome === 'admitted') first.set(event.id, { event, record })
  }
  // The first of an id wins, and that may be one in the view.
  const before = await views.byIds(utterances, space, [...first.keys()])
  for (const { id } of before) first.delete(id)
  return { said: [...first.values()].filter(({ event }) => !undone.has(event.id)), unsearched }
}

/** Read when it is first asked for, and then no more. */
export function tailOnce(space: string, options: TailOptions): () => Promise<Tail> {
  let tail: Promise<Tail> | null = null
  return () => {
    tail ??= tailOf(space, options)
    return tail
  }
}

/** The space's own, however many of others stand between and after them. */
async function newestOf(
  space: string,
  { partition, seen }: { readonly partition: number; readonly seen: number },
  { log }: TailOptions,
): Promise<{ readonly own: readonly LogRecord[]; readonly unsearched: number }> {
  const end = (await log.endOffsets('utterances'))[partition] ?? 0
  const start = Math.max(seen, end - maxTailRead)
  const read = {
    topic: 'utterances',
    partitions: [partition],
    from: new Map([[partition, start]]),
    until: 'end',
  } as const
  const own: LogRecord[] = []
  let left = 0
  for await (const records of log.read(read)) {
    own.push(...records.filter(({ key }) => key === space))
    left += own.splice(0, Math.max(0, own.length - maxTailRecords)).length
  }
  return { own, unsearched: start - seen + left }
}

function undoneBy(event: LoomEvent | null): readonly string[] {
  return event?.type === 'EvidenceRetracted' && event.derivation === null ? event.utterances : []
}

/** The part of the tail that holds some of the query's words. */
export async function searchTail(
  { space, query, within }: { readonly space: string; readonly query: string; readonly within: Within },
  options: TailOptions,
): Promise<{ readonly said: readonly Scored[]; readonly unsearched: number }> {
  const wanted = [...stemsOf(query).counts.keys()]
  const { said, unsearched } = await tailOf(space, options)
  const found = said.filter(({ event }) => holdsFor(event, within)).map(memoryOfTail)
  const heldBy = ({ counts }: Stems) => wanted.filter((stem) => counts.has(stem)).length / Math.max(1, wanted.length)
  const scored = found.map((each) => ({ ...each, score: heldBy(stemsOf(each.text)) }))
  return { said: scored.filter(({ score }) => score > 0), unsearched }
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
