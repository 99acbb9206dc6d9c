/** A memory as recall shows it: whatever its kind, its words, its time and the utterances it goes back to. */
import type { FoundRow } from '@loomlog/views/row'

/** A profile is a document about one person or thing. */
export const kinds = ['utterance', 'box', 'fact', 'event', 'document', 'profile'] as const
export type Kind = (typeof kinds)[number]

export interface Memory {
  readonly id: string
  readonly kind: Kind
  /** `tenant/space` */
  readonly space: string
  readonly text: string
  readonly speaker: string
  readonly conversation: string
  /** When it was said, ms since the epoch; null where it has no one time. */
  readonly at: number | null
  /** Where it stands in its partition: the order of what has the same time. */
  readonly offset: number
  /** Event time: from when and until when it is held to be true; `to: null` is still true. */
  readonly valid: { readonly from: number | null; readonly to: number | null }
  /** Log time: from when and until when the memory knew it. */
  readonly known: { readonly from: number; readonly to: number | null }
  /** Ids of the utterances it goes back to. */
  readonly sources: readonly string[]
  /** `rules`, or the model that answered; null for what was simply said. */
  readonly method: string | null
}

export interface Scored extends Memory {
  /** Higher is better; comparable within one answer. */
  readonly score: number
  /** Of what no longer holds: ids of what says what does. */
  readonly replacedBy?: readonly string[]
  /** Of what took something's place, and is less likely by itself: id of what it is as likely as. */
  readonly raisedBy?: string
  /** Of an event: the timelines that it belongs to, and its place in each, from 1, among the events that were read of it. */
  readonly traces?: readonly TracePlace[]
}

export interface TracePlace {
  readonly id: string
  readonly title: string
  readonly position: number
  readonly events: number
}

/** The parts of a row's payload that the code here looks at; each kind has more. */
export interface Payload {
  readonly sources?: readonly string[]
  readonly utterances?: readonly { readonly id: string }[]
  readonly lineage?: {
    readonly derivation: string
    readonly method: string
    readonly causes: readonly string[]
    readonly completions: readonly string[]
  }
  /** Of what is no utterance, but corrected or undid something; and of a fact that was stated so. */
  readonly correction?: { readonly action: string }
  readonly topic?: string
  readonly document?: string
  readonly facts?: readonly string[]
  /** Of a link: the trace, and the event that is linked. */
  readonly trace?: string
  readonly event?: string
  readonly title?: string
  readonly heading?: string
  readonly text?: string
  /** Of an entry that is retired: the one that took its place. */
  readonly replacedBy?: string
}

export function payloadOf(row: FoundRow): Payload {
  return JSON.parse(row.payload) as Payload
}

export function memoryOf(kind: Kind, row: FoundRow): Memory {
  const payload = payloadOf(row)
  return {
    id: row.id,
    kind,
    space: row.space,
    text: kind === 'box' ? boxText(row, payload) : row.text,
    speaker: row.speaker,
    conversation: row.conversation,
    at: row.at,
    offset: row.offset,
    valid: { from: row.validFrom, to: row.validTo },
    known: { from: row.knownFrom, to: row.knownTo },
    sources: kind === 'utterance' ? [row.id] : (payload.sources ?? payload.utterances?.map((said) => said.id) ?? []),
    method: payload.lineage?.method ?? null,
  }
}

/** As it was said: of what has the same time, what was written first. */
export function byTime(a: Pick<Memory, 'at' | 'offset' | 'id'>, b: Pick<Memory, 'at' | 'offset' | 'id'>): number {
  return (a.at ?? 0) - (b.at ?? 0) || a.offset - b.offset || (a.id < b.id ? -1 : 1)
}

/** A box is searched by its topic, keywords and lines, and shown as topic and lines. */
function boxText(row: FoundRow, payload: Payload): string {
  const [, , ...lines] = row.text.split('\n')
  return `[${payload.topic ?? ''}]\n${lines.join('\n')}`
}
