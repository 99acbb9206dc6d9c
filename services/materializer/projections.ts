/**
 * What an event changes in the tables of its view: pure, one function a topic. The text to embed is named here and embedded
 * by whoever applies the change; a row without one has no vector, and is found by its words alone.
 */
import { admit } from '@loomlog/schemas/admission'
import type {
  BoxSealed,
  DocumentDescribed,
  EntryRetired,
  EntryWritten,
  EventLinked,
  EventRecorded,
  FactRecorded,
  LoomEvent,
  SpaceEvent,
  UtteranceAppended,
} from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { wordsOf } from '@loomlog/schemas/words'
import type { TableName } from '@loomlog/views/catalogue'
import type { RowChange } from '@loomlog/views/change'
import type { Row } from '@loomlog/views/row'
import {
  boxHead,
  correction,
  eventRetracted,
  factRetracted,
  linesRetracted,
  retitledEntries,
  retitledLinks,
  undone,
} from './retractions.ts'

/** A change whose row still lacks its vector. */
export interface Projected {
  readonly table: TableName
  readonly change: RowChange
  /** The row's vector is the mean of these texts' vectors; none: the row has no vector. */
  readonly embed: readonly string[]
}

/** @param record where the event stands in its topic */
export function project(
  event: LoomEvent,
  record: { readonly key: string | null; readonly offset: number },
): readonly Projected[] {
  switch (event.type) {
    case 'UtteranceAppended':
      return utterance(event, record)
    case 'BoxSealed':
      return [box(event, record.offset)]
    case 'FactRecorded':
      return [fact(event, record.offset)]
    case 'EventRecorded':
      return [happening(event, record.offset)]
    case 'EventLinked':
      return [link(event, record.offset)]
    case 'EntryWritten':
      return [entry(event, record.offset)]
    case 'EntryRetired':
      return [retired(event, record.offset)]
    case 'DocumentDescribed':
      return [document(event, record.offset), ...retitledEntries(event, record.offset)]
    case 'MemoryCorrected':
      return correction(event, record)
    case 'EvidenceRetracted':
      return undone(event, record)
    case 'LinesRetracted':
      return linesRetracted(event, record.offset)
    case 'FactRetracted':
      return factRetracted(event, record.offset)
    case 'EventRetracted':
      return eventRetracted(event, record.offset)
    case 'TraceRetitled':
      return retitledLinks(event, record.offset)
    default:
      return []
  }
}

/** What the first stage would not admit is not shown either: a record under a foreign key must not enter that space. */
function utterance(
  event: UtteranceAppended,
  record: { readonly key: string | null; readonly offset: number },
): Projected[] {
  if (admit(event, record.key, [event.type], null).outcome !== 'admitted') return []
  const { speaker, role, at, text, attachments, metadata } = event
  const words = wordsOf(event)
  const row = rowOf(event, record.offset, {
    conversation: event.conversation,
    speaker,
    text: `${speaker}: ${words}`,
    payload: { role, text, attachments, metadata },
    // The place in the space is counted by the first stage; a raw row is ordered by its time.
    seq: 0,
    ordinal: 0,
    at,
    knownFrom: event.appendedAt,
  })
  return [{ table: 'utterances', change: { kind: 'putIfAbsent', row }, embed: [words] }]
}

function box(event: BoxSealed, offset: number): Projected {
  const { topic, keywords, utterances, cut, startedAt, endedAt, conversation, lineage } = event
  const lines = utterances.map((said) => `${said.speaker}: ${wordsOf(said)}`)
  const speakers = [...new Set(utterances.map((said) => said.speaker))]
  const told = utterances.map(({ id, seq, speaker, at }, index) => ({
    id,
    seq,
    speaker,
    at,
    chars: lines[index]?.length,
  }))
  const row = rowOf(event, offset, {
    ...derivedFields(event),
    conversation,
    speaker: speakers.join(', '),
    text: boxHead(event) + lines.join('\n'),
    payload: { topic, keywords, cut, startedAt, endedAt, utterances: told, lineage },
    at: startedAt,
  })
  return { table: 'boxes', change: { kind: 'put', row }, embed: utterances.map(wordsOf) }
}

function fact(event: FactRecorded, offset: number): Projected {
  const { kind, subject, relation, object, role, when, location, persons, entities, keywords, sources, lineage } = event
  const row = rowOf(event, offset, {
    ...derivedFields(event),
    conversation: event.conversation,
    speaker: event.speaker,
    text: event.text,
    payload: {
      box: event.box,
      kind,
      subject,
      relation,
      object,
      role,
      when,
      location,
      persons,
      entities,
      keywords,
      sources,
      lineage,
      ...(event.correction && { correction: event.correction }),
    },
    at: event.saidAt,
    validFrom: when?.from ?? event.saidAt,
    // What happened is over when it is over; what holds is held to be true until something retires it.
    validTo: kind === 'event' ? (when?.to ?? null) : null,
  })
  return { table: 'facts', change: { kind: 'put', row }, embed: [event.text] }
}

function happening(event: EventRecorded, offset: number): Projected {
  const { box: inBox, when, persons, keywords, sources, lineage } = event
  const row = rowOf(event, offset, {
    ...derivedFields(event),
    conversation: event.conversation,
    speaker: persons.join(', '),
    text: event.text,
    payload: { box: inBox, when, persons, keywords, sources, lineage },
    at: event.toldAt,
    validFrom: when?.from ?? null,
    validTo: when?.to ?? null,
  })
  return { table: 'events', change: { kind: 'put', row }, embed: [event.text] }
}

function link(event: EventLinked, offset: number): Projected {
  const { trace, previous, title, score, position, lineage } = event
  const payload = { trace, event: event.event, box: event.box, previous, title, score, position, lineage }
  const row = rowOf(event, offset, { ...derivedFields(event), text: title, payload })
  return { table: 'links', change: { kind: 'put', row }, embed: [] }
}

function entry(event: EntryWritten, offset: number): Projected {
  const { document: inDocument, kind, title, heading, text, when, validFrom, role, facts, sources, lineage } = event
  const row = rowOf(event, offset, {
    ...derivedFields(event),
    speaker: event.speaker,
    text: `${title} — ${heading}: ${text}`,
    payload: { document: inDocument, kind, title, heading, text, when, role, facts, sources, lineage },
    validFrom,
  })
  return { table: 'entries', change: { kind: 'put', row }, embed: [text] }
}

function retired(event: EntryRetired, offset: number): Projected {
  const { entry: id, by: replacedBy, validTo, knownAt: knownTo } = event
  const fields = { validTo, knownTo }
  const space = spaceKey(event.tenant, event.space)
  return { table: 'entries', change: { kind: 'patch', space, id, fields, payload: { replacedBy }, offset }, embed: [] }
}

/** A document has one row, under its own id: described again, it is written over. */
function document(event: DocumentDescribed, offset: number): Projected {
  const { kind, entity, title, summary, entries, lineage } = event
  const row = rowOf({ ...event, id: event.document }, offset, {
    ...derivedFields(event),
    text: `${title}\n${summary}`,
    payload: { kind, entity, title, summary, entries, lineage },
  })
  return { table: 'documents', change: { kind: 'put', row }, embed: [] }
}

function derivedFields(event: Extract<SpaceEvent, { knownAt: number }>) {
  return { seq: event.seq, ordinal: event.ordinal, knownFrom: event.knownAt }
}

type RowFields = Pick<Row, 'text' | 'seq' | 'ordinal' | 'knownFrom'> & { readonly payload: object } & Partial<
    Pick<Row, 'conversation' | 'speaker' | 'at' | 'validFrom' | 'validTo'>
  >

function rowOf(event: SpaceEvent, offset: number, fields: RowFields): Row {
  const nothing = { conversation: '', speaker: '', at: null, validFrom: null, validTo: null, knownTo: null }
  const identity = { id: event.id, space: spaceKey(event.tenant, event.space), offset, deleted: false, vector: null }
  return { ...nothing, ...identity, ...fields, payload: JSON.stringify(fields.payload) }
}
