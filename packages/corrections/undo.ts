/**
 * Undo by cause: selects utterances, previews the memories that rest on them, and makes the source events that retract
 * both. The selection is fixed at the request, so it never includes later utterances.
 */

import { LoomlogError } from '@loomlog/errors'
import { checkedName } from '@loomlog/intake/utterance'
import { alikeName } from '@loomlog/language/alike-name'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { EvidenceRetracted, LoomEvent, UtteranceAppended } from '@loomlog/schemas/events'
import { hash, spaceKey } from '@loomlog/schemas/ids'
import { sameName } from '@loomlog/schemas/names'
import type { TopicSpec } from '@loomlog/topics/catalogue'
import { viewTopics } from '@loomlog/views/catalogue'
import type { ViewReader } from '@loomlog/views/reader'
import { current } from '@loomlog/views/row'
import type { Table } from '@loomlog/views/table'
import { utterances as utteranceTable } from '@loomlog/views/tables/utterances'
import type { RequestOrigin } from './correct.ts'

/** The selection of an undo. An utterance must match all causes; at least one is set. */
export interface UndoCauses {
  /** Ids of utterances. */
  readonly utterances?: readonly string[]
  readonly speaker?: string
  readonly conversation?: string
  /** The key or token that brought them: `key:ID` or `token:SUBJECT`. */
  readonly principal?: string
  /** Only the memories of this derivation, and those derived from them. */
  readonly derivation?: string
  /** Event time, ms since the epoch; `to` is exclusive. */
  readonly from?: number
  readonly to?: number
}

export interface UndoPlan {
  /** Wanted ids of no utterance that this author may retract, or of a retracted one. */
  readonly unknown: readonly string[]
  readonly utterances: readonly { readonly id: string; readonly conversation: string; readonly text: string }[]
  /** The current rows that rest on them, by name of their table. */
  readonly downstream: { readonly [table: string]: readonly { readonly id: string; readonly text: string }[] }
  readonly events: readonly EvidenceRetracted[]
}

/** Rows read of one table, at most. */
const maxRows = 1_000_000
/** Utterances in one event. */
const maxPerEvent = 1_000

export interface UndoOptions {
  readonly log: Log
  readonly codec: Codec
  readonly views: ViewReader
}

/**
 * Only plans, and appends nothing.
 * @throws LoomlogError `input-invalid` without a cause; `views-behind` until the views have passed a forgetting
 */
export async function planUndo(causes: UndoCauses, asked: RequestOrigin, options: UndoOptions): Promise<UndoPlan> {
  const origin = { ...asked, by: checkedName(asked.by, 'by') }
  const { utterances: ids, speaker, conversation, principal, derivation: named, from, to } = causes
  if ([ids, speaker, conversation, principal, named, from, to].every((cause) => cause === undefined)) {
    throw new LoomlogError(
      'input-invalid',
      'the undo has no cause: expected utterances, a speaker, conversation, principal, derivation or time',
    )
  }
  const space = spaceKey(origin.place.tenant, origin.place.space)
  if (await options.views.isVoid(utteranceTable, space))
    throw new LoomlogError('views-behind', `a forgetting is under way in ${space}, and its views are behind: try again`)
  const { derivation = null } = causes
  const rows = await currentRows(space, options.views)
  const own = rows.filter((row) => derivation !== null && row.derivation === derivation)
  const ofDerivation = new Set(own.flatMap((row) => row.cited))
  const utterances = (await utterancesIn(space, options)).filter(
    (utterance) =>
      fits(utterance, causes) &&
      (derivation === null || ofDerivation.has(utterance.id)) &&
      // An agent never corrects the words of a person.
      (origin.role === 'human' || utterance.role !== 'human'),
  )
  const retracted = new Set(utterances.map(({ id }) => id))
  const topics = viewTopics(options.views.tables)
  const isConcerned = ({ topic }: Table) =>
    derivation === null || own.some((row) => isMadeOf(topic, row.table.topic, topics))
  const cites = (table: Table) => (row: CurrentRow) => row.table === table && row.cited.some((id) => retracted.has(id))
  const downstream = evidenceTables(options.views).map((table) => {
    const found = isConcerned(table) ? rows.filter(cites(table)) : []
    return [table.name, found.map(({ id, text }) => ({ id, text }))] as const
  })
  return {
    unknown: (ids ?? []).filter((id) => !retracted.has(id)),
    utterances: utterances.map(({ id, conversation, speaker, text }) => ({
      id,
      conversation,
      text: `${speaker}: ${text}`,
    })),
    downstream: Object.fromEntries(downstream),
    events: eventsFor(utterances, derivation, origin),
  }
}

/** Whether the topic is the other one, or derived from it, directly or through other topics. */
function isMadeOf(topic: TopicSpec, other: TopicSpec, all: readonly TopicSpec[]): boolean {
  const source = all.find(({ name }) => name === topic.derivedFrom)
  return topic.name === other.name || (source !== undefined && isMadeOf(source, other, all))
}

function fits(
  utterance: UtteranceAppended,
  { utterances, speaker, conversation, principal, from, to }: UndoCauses,
): boolean {
  return (
    (utterances === undefined || utterances.includes(utterance.id)) &&
    (speaker === undefined || alikeName(utterance.speaker) === alikeName(speaker)) &&
    (conversation === undefined || sameName(utterance.conversation) === sameName(conversation)) &&
    (principal === undefined || utterance.principal === principal) &&
    (from === undefined || utterance.at >= from) &&
    (to === undefined || utterance.at < to)
  )
}

/** One event per conversation, its utterances in the order of the log. */
function eventsFor(
  utterances: readonly UtteranceAppended[],
  derivation: string | null,
  { place, by, role, reason, at }: RequestOrigin,
): readonly EvidenceRetracted[] {
  const events: EvidenceRetracted[] = []
  for (const [conversation, said] of Map.groupBy(utterances, (each) => each.conversation)) {
    for (let first = 0; first < said.length; first += maxPerEvent) {
      const ids = said.slice(first, first + maxPerEvent).map(({ id }) => id)
      const { tenant, space, principal } = place
      const fields = { tenant, space, seq: null, conversation, utterances: ids, derivation, by, role, reason }
      const id = hash(['undo', fields])
      events.push({ type: 'EvidenceRetracted', id, ...fields, at, appendedAt: Date.now(), keyId: null, principal })
    }
  }
  return events
}

/**
 * Reads the log, which is ahead of the views. The first record of an id wins; undone and forgotten utterances are left
 * out.
 */
async function utterancesIn(space: string, { log, codec, views }: UndoOptions): Promise<readonly UtteranceAppended[]> {
  const partitions = [views.partitionOf(space)]
  const found = new Map<string, UtteranceAppended>()
  const undone = new Set<string>()
  const note = (event: LoomEvent | null) => {
    if (event?.type === 'UtteranceAppended' && !found.has(event.id)) found.set(event.id, event)
    else if (event?.type === 'EvidenceRetracted' && event.derivation === null)
      for (const id of event.utterances) undone.add(id)
    else if (event?.type === 'SubjectForgotten') for (const each of [found, undone]) each.clear()
  }
  for await (const records of log.read({ topic: 'utterances', partitions, until: 'end' })) {
    for (const { key, value } of records) if (key === space) note(await codec.decodeOwn(value))
  }
  return [...found.values()].filter(({ id }) => !undone.has(id))
}

interface CurrentRow {
  readonly table: Table
  readonly id: string
  readonly text: string
  readonly cited: readonly string[]
  readonly derivation: string | null
}

/** Tables whose rows cite evidence of their own. */
function evidenceTables({ tables }: ViewReader): readonly Table[] {
  return tables.filter(({ evidence }) => typeof evidence === 'object')
}

async function currentRows(space: string, views: ViewReader): Promise<readonly CurrentRow[]> {
  const read = async (table: Table): Promise<readonly CurrentRow[]> => {
    const { evidence } = table
    const rows = await views.scan(table, { space, where: current, limit: maxRows })
    return rows.map((row) => {
      const cited = typeof evidence === 'object' ? evidence.cited(row) : []
      return { table, id: row.id, text: row.text, cited, derivation: row.lineage?.derivation ?? null }
    })
  }
  return (await Promise.all(evidenceTables(views).map(read))).flat()
}
