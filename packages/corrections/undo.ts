/**
 * Undo by cause: which utterances are meant, what came of them, and the source events that undo it. What is meant is settled here,
 * when it is asked for: what is said afterwards is not concerned, by whomever.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Log } from '@loomlog/log/port'
import type { Codec } from '@loomlog/schemas/codec'
import type { EvidenceRetracted, UtteranceAppended } from '@loomlog/schemas/events'
import { hash, spaceKey } from '@loomlog/schemas/ids'
import { sql } from '@loomlog/views/condition'
import type { ViewReader } from '@loomlog/views/reader'
import type { FoundRow } from '@loomlog/views/row'
import type { Asking } from './correct.ts'

/** All that are given must fit; at least one is. */
export interface Causes {
  readonly speaker?: string
  readonly conversation?: string
  /** Only what this derivation made, and what was made of that. */
  readonly derivation?: string
  /** Event time, ms since the epoch; `to` is exclusive. */
  readonly from?: number
  readonly to?: number
}

export interface Undoing {
  readonly utterances: readonly { readonly id: string; readonly conversation: string; readonly text: string }[]
  /** What came of them and is part of the memory now, by kind. */
  readonly downstream: {
    readonly [kind in Kind]: readonly { readonly id: string; readonly text: string }[]
  }
  readonly events: readonly EvidenceRetracted[]
}

type Kind = (typeof kinds)[number]
const kinds = ['boxes', 'facts', 'events', 'entries'] as const

/** What follows what: what a stage made is concerned with what it was made of. */
const follows: { readonly [kind in Kind]: readonly Kind[] } = {
  boxes: kinds,
  facts: ['facts', 'entries'],
  events: ['events'],
  entries: ['entries'],
}

/** Rows of one table that are looked through, at most. */
const maxRows = 1_000_000
/** Utterances in one event. */
const maxPerEvent = 1_000

export interface UndoOptions {
  readonly log: Log
  readonly codec: Codec
  readonly views: ViewReader
}

/** Changes nothing. @throws LoomlogError `input-invalid` where nothing is selected by */
export async function planUndo(causes: Causes, asking: Asking, options: UndoOptions): Promise<Undoing> {
  if (Object.values(causes).every((cause) => cause === undefined)) {
    throw new LoomlogError(
      'input-invalid',
      'nothing says what to undo: expected a speaker, conversation, derivation or time',
    )
  }
  const space = spaceKey(asking.place.tenant, asking.place.space)
  const current = await currentRows(space, options.views)
  const { derivation } = causes
  const own = kinds.filter((kind) => current[kind].some((row) => row.derivation === derivation))
  const byDerivation = new Set(
    own.flatMap((kind) => current[kind].filter((row) => row.derivation === derivation)).flatMap((row) => row.sources),
  )
  const said = await utterancesIn(space, options)
  const utterances = said.filter(
    (utterance) => fits(utterance, causes) && (derivation === undefined || byDerivation.has(utterance.id)),
  )
  const meant = new Set(utterances.map(({ id }) => id))
  const concerned = derivation === undefined ? new Set<Kind>(kinds) : new Set(own.flatMap((kind) => follows[kind]))
  const of = (kind: Kind) =>
    concerned.has(kind)
      ? current[kind]
          .filter(({ sources }) => sources.some((source) => meant.has(source)))
          .map(({ id, text }) => ({ id, text }))
      : []
  return {
    utterances: utterances.map(({ id, conversation, speaker, text }) => ({
      id,
      conversation,
      text: `${speaker}: ${text}`,
    })),
    downstream: { boxes: of('boxes'), facts: of('facts'), events: of('events'), entries: of('entries') },
    events: eventsFor(utterances, derivation ?? null, asking),
  }
}

function fits(utterance: UtteranceAppended, { speaker, conversation, from, to }: Causes): boolean {
  return (
    (speaker === undefined || utterance.speaker === speaker) &&
    (conversation === undefined || utterance.conversation === conversation) &&
    (from === undefined || utterance.at >= from) &&
    (to === undefined || utterance.at < to)
  )
}

/** One a conversation, in the order in which they were said. */
function eventsFor(
  utterances: readonly UtteranceAppended[],
  derivation: string | null,
  { place, by, role, reason, at }: Asking,
): readonly EvidenceRetracted[] {
  const events: EvidenceRetracted[] = []
  for (const [conversation, said] of Map.groupBy(utterances, (each) => each.conversation)) {
    for (let first = 0; first < said.length; first += maxPerEvent) {
      const ids = said.slice(first, first + maxPerEvent).map(({ id }) => id)
      const { tenant, space } = place
      const told = { tenant, space, seq: null, conversation, utterances: ids, derivation, by, role, reason }
      const id = hash(['undo', told])
      events.push({ type: 'EvidenceRetracted', id, ...told, at, appendedAt: Date.now(), keyId: null })
    }
  }
  return events
}

/** From the log, which has what no view has seen yet. The first of an id wins; what was undone before is left out. */
async function utterancesIn(space: string, { log, codec, views }: UndoOptions): Promise<readonly UtteranceAppended[]> {
  const partitions = [views.partitionOf(space)]
  const found = new Map<string, UtteranceAppended>()
  const undone = new Set<string>()
  for await (const records of log.read({ topic: 'utterances', partitions, until: 'end' })) {
    for (const record of records) {
      const event = record.key === space ? await decoded(record.value, codec) : null
      if (event?.type === 'UtteranceAppended' && !found.has(event.id)) found.set(event.id, event)
      if (event?.type === 'EvidenceRetracted' && event.derivation === null)
        for (const id of event.utterances) undone.add(id)
    }
  }
  return [...found.values()].filter(({ id }) => !undone.has(id))
}

async function decoded(value: Uint8Array, codec: Codec) {
  try {
    return await codec.decode(value)
  } catch (error) {
    if (isLoomlogError(error, 'input-invalid') || isLoomlogError(error, 'schema-unknown')) return null
    throw error
  }
}

interface Current {
  readonly id: string
  readonly text: string
  readonly sources: readonly string[]
  readonly derivation: string | null
}

async function currentRows(space: string, views: ViewReader): Promise<{ readonly [kind in Kind]: readonly Current[] }> {
  const read = async (table: Kind): Promise<readonly Current[]> => {
    const view = await views.view(table, space)
    const rows = (await view?.shard.scan(table, { space, where: sql`known_to IS NULL`, limit: maxRows })) ?? []
    return rows.map(currentOf)
  }
  const [boxes, facts, events, entries] = await Promise.all(kinds.map(read))
  return { boxes: boxes ?? [], facts: facts ?? [], events: events ?? [], entries: entries ?? [] }
}

function currentOf({ id, text, payload }: FoundRow): Current {
  const { sources, utterances, lineage } = JSON.parse(payload) as {
    readonly sources?: readonly string[]
    readonly utterances?: readonly { readonly id: string }[]
    readonly lineage?: { readonly derivation: string }
  }
  return {
    id,
    text,
    sources: sources ?? utterances?.map((said) => said.id) ?? [],
    derivation: lineage?.derivation ?? null,
  }
}
