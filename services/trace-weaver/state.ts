/**
 * The keyed records of trace-weaver, for a space. All are small and bounded: the open batch of events, a bucket for every term, a strand for
 * every matter that a later event may join, and the batches without an answer about links. For retractions there are each event's share in
 * its strands, the links of every trace, and the events of each utterance.
 *
 * A strand in no bucket can't be found again, and is deleted. So the state for weaving grows with the vocabulary of a space, not with
 * its history; the state for retractions takes a few hundred bytes an event.
 */
import { type KeyedRecord, keyed } from '@loomlog/runtime/step'
import type { EventTime, FactRecorded } from '@loomlog/schemas/events'
import type { EventTerm } from './event-terms.ts'

/** Strands in one bucket; the one that went longest without an event falls out first. */
export const maxStrandsPerBucket = 16
/** Buckets of one event: those of its rarest terms. */
export const maxBucketsPerEvent = 10
/** Terms of a strand: those that most of its events share. */
export const maxTermsPerStrand = 24
/** Persons of a strand: those that most of its events name. */
export const maxPersonsPerStrand = 6
/** Last events of a strand, for the comparison with a new event. */
export const maxRecentPerStrand = 3
/** Events of one box that may wait in a strand for another box. */
export const maxWaitingPerStrand = 4
/** Speakers of one conversation; the first stay. */
export const maxSpeakers = 16
/** Events of one utterance; the newest stay. */
export const maxEventsPerSource = 64

/** A fact that happened or is planned, with the fields that weaving needs. */
export type EventFact = Pick<
  FactRecorded,
  'id' | 'conversation' | 'text' | 'relation' | 'when' | 'saidAt' | 'persons' | 'keywords'
> & {
  /** Its box, or the correction that states it. */
  readonly box: string
}

/** By place: the events of the open batch. */
export const openBatch: KeyedRecord<EventFact> = keyed('batch')
/** The number of its events: one record, under the key ''. */
export const batchSize: KeyedRecord<number> = keyed('batch-size')

/** By the input that ended it: a batch without an answer about links. A retry weaves it. */
export const unansweredBatches: KeyedRecord<readonly EventFact[]> = keyed('unwoven')

/** By conversation: its speakers. */
export const speakers: KeyedRecord<readonly string[]> = keyed('speakers')

/** The number of boxes with an event that has this term, with a model of events; and the term's strands, the most recently joined one last. */
export type Bucket = {
  readonly count: number
  /** The box, or the event, that was counted last. */
  readonly last: string
  readonly strands: readonly string[]
}
export const bucket: KeyedRecord<Bucket> = keyed('bucket')

/** The number of boxes with any event, with a model of events: one record, under the key ''. */
export const counted: KeyedRecord<number> = keyed('counted')

export type TermCount = EventTerm & { readonly count: number }
export type PersonCount = { readonly person: string; readonly count: number }
/** An event in a strand. */
export type Mention = {
  readonly event: string
  readonly box: string
  readonly text: string
  readonly when: EventTime | null
  readonly toldAt: number
  readonly words: readonly EventTerm[]
}

/** A matter: a trace, or a future one that waits for its second box. The key is the trace's id. */
export type Strand = {
  readonly title: string
  readonly events: number
  /** Links that were published. */
  readonly links: number
  readonly terms: readonly TermCount[]
  readonly persons: readonly PersonCount[]
  readonly recent: readonly Mention[]
  /** Events of its first box, until another box joins. */
  readonly waiting: readonly Mention[]
  /** The last linked event. */
  readonly previous: string | null
  /** The number of buckets with this strand. */
  readonly buckets: number
}
export const strand: KeyedRecord<Strand> = keyed('strand')

export type EventShare = {
  /** The strand that it waits in, or first joined. */
  readonly strand: string
  readonly stems: readonly string[]
  readonly persons: readonly string[]
  readonly links: readonly { readonly id: string; readonly trace: string; readonly position: number }[]
}
/** By event: its share in its strands. `open`: it is not woven yet. A retracted event never joins a strand. */
export const eventShares: KeyedRecord<EventShare | 'open' | 'retracted'> = keyed('woven')

/** By trace and position: the link. */
export const links: KeyedRecord<string> = keyed('link')

/** By utterance: the events that cite it. `undone`: none is woven any more. */
export const citing: KeyedRecord<readonly string[] | 'undone'> = keyed('citing')

export function linkKey(trace: string, position: number): string {
  return `${trace}/${String(position).padStart(9, '0')}`
}
