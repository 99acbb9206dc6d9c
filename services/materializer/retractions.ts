/**
 * What corrections and undoing change in the views: pure, like all projections. A row that is over keeps its words and the time when
 * it was over, and no longer takes part; rows that hold, and bear what was retracted in a title or among others' lines, are cleaned.
 */
import { admit } from '@loomlog/schemas/admission'
import type {
  DocumentDescribed,
  EventRetracted,
  EvidenceRetracted,
  FactRetracted,
  LinesRetracted,
  MemoryCorrected,
  TraceRetitled,
} from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import type { TableName } from '@loomlog/views/catalogue'
import type { Row } from '@loomlog/views/row'
import type { Projected } from './projections.ts'

type Place = { readonly key: string | null; readonly offset: number }

/** It can be looked up, as the cause of what it corrected, and is never recalled: its facts are. */
export function correction(event: MemoryCorrected, { key, offset }: Place): readonly Projected[] {
  if (admit(event, key, [event.type], null).outcome !== 'admitted') return []
  const { action, by, role, reason, target, text } = event
  const what = [target && `"${target.text}"`, text && `"${text}"`].filter((each) => each !== null).join(' → ')
  const payload = { correction: { action, by, role, reason, target: target?.memory ?? null }, role, text: what }
  return [asked(event, offset, { text: `${by}: ${action} ${what}`, payload })]
}

/** Utterances belong to no derivation, so one that undoes what a derivation made of them leaves them. */
export function undone(event: EvidenceRetracted, { key, offset }: Place): readonly Projected[] {
  if (admit(event, key, [event.type], null).outcome !== 'admitted') return []
  const { utterances, derivation, by, role, reason } = event
  const text = `${by}: undo what came from ${utterances.length} utterances`
  const row = asked(event, offset, {
    text,
    payload: { correction: { action: 'undo', by, role, reason, target: null }, text },
  })
  if (derivation !== null) return [row]
  const when = { tenant: event.tenant, space: event.space, knownAt: event.appendedAt }
  return [row, ...utterances.map((id) => over('utterances', id, when, offset))]
}

function asked(
  event: MemoryCorrected | EvidenceRetracted,
  offset: number,
  { text, payload }: { readonly text: string; readonly payload: object },
): Projected {
  const { id, conversation, by: speaker, at, appendedAt } = event
  const row: Row = {
    ...{
      id,
      space: spaceKey(event.tenant, event.space),
      conversation,
      speaker,
      text,
      payload: JSON.stringify(payload),
    },
    ...{ seq: 0, ordinal: 0, at, validFrom: null, validTo: null, knownFrom: appendedAt, knownTo: appendedAt },
    ...{ offset, deleted: false, vector: null },
  }
  return { table: 'utterances', change: { kind: 'putIfAbsent', row }, embed: [] }
}

interface Known {
  readonly tenant: string
  readonly space: string
  readonly knownAt: number
}

function over(table: TableName, id: string, { tenant, space, knownAt }: Known, offset: number): Projected {
  const change = { kind: 'patch', space: spaceKey(tenant, space), id, fields: { knownTo: knownAt }, offset } as const
  return { table, change, embed: [] }
}

export function factRetracted(event: FactRetracted, offset: number): readonly Projected[] {
  return [over('facts', event.fact, event, offset)]
}

export function eventRetracted(event: EventRetracted, offset: number): readonly Projected[] {
  return [over('events', event.event, event, offset), ...event.links.map((link) => over('links', link, event, offset))]
}

export function linesRetracted(event: LinesRetracted, offset: number): readonly Projected[] {
  if (event.left === 0) return [over('boxes', event.box, event, offset)]
  const gone = new Set(event.utterances)
  return [edited('boxes', event.box, event, offset, (row) => withoutLines(row, gone))]
}

export function retitledLinks(event: TraceRetitled, offset: number): readonly Projected[] {
  const { title, links } = event
  return links.map((link) =>
    edited('links', link, event, offset, (row) => ({ ...row, text: title, payload: withTitle(row.payload, title) })),
  )
}

export function retitledEntries(event: DocumentDescribed, offset: number): readonly Projected[] {
  const title = event.entity ?? event.title
  return event.retitled.map((entry) =>
    edited('entries', entry, event, offset, (row) => {
      const { heading, text } = JSON.parse(row.payload) as { readonly heading: string; readonly text: string }
      return { ...row, text: `${title} — ${heading}: ${text}`, payload: withTitle(row.payload, title) }
    }),
  )
}

function edited(
  table: TableName,
  id: string,
  { tenant, space }: Pick<Known, 'tenant' | 'space'>,
  offset: number,
  edit: (row: Row) => Row,
): Projected {
  return { table, change: { kind: 'edit', space: spaceKey(tenant, space), id, edit, offset }, embed: [] }
}

function withTitle(payload: string, title: string): string {
  return JSON.stringify({ ...(JSON.parse(payload) as object), title })
}

interface BoxPayload {
  readonly topic: string
  readonly keywords: readonly string[]
  readonly utterances: readonly { readonly id: string; readonly speaker: string; readonly chars: number }[]
}

/** Topic and keywords keep what the lines that are left say too. Its vector was the mean of all lines: it is found by words now. */
function withoutLines(row: Row, gone: ReadonlySet<string>): Row {
  const payload = JSON.parse(row.payload) as BoxPayload
  let from = boxHead(payload).length
  const lines = payload.utterances.map((said) => {
    const line = row.text.slice(from, from + said.chars)
    from += said.chars + 1
    return { said, line }
  })
  const left = lines.filter(({ said }) => !gone.has(said.id))
  const words = left.map(({ line }) => line).join('\n')
  const isSaid = (word: string) => words.toLowerCase().includes(word.toLowerCase())
  const keywords = payload.keywords.filter(isSaid)
  const topic = payload.topic.split(/[^\p{L}\p{N}]+/u).every(isSaid) ? payload.topic : keywords.join(', ')
  const utterances = left.map(({ said }) => said)
  return {
    ...row,
    speaker: [...new Set(utterances.map((said) => said.speaker))].join(', '),
    text: boxHead({ topic, keywords }) + words,
    payload: JSON.stringify({ ...payload, topic, keywords, utterances }),
    vector: null,
  }
}

/** What stands before a box's lines in its text. */
export function boxHead({ topic, keywords }: Pick<BoxPayload, 'topic' | 'keywords'>): string {
  return `${topic}\n${keywords.join(' ')}\n`
}
