/**
 * The keyed records of trace-weaver, for a space. All are small and bounded. Weaving needs the open batch of events, a
 * bucket for every term, a strand for every matter that a later event may join, and the closed batches. Retractions
 * need each event with its share in its strands, the links of every trace, and the events of each utterance.
 *
 * A strand in no bucket can't be found again, and is deleted. So the state for weaving grows with the vocabulary of a
 * space, and with its history only by one word for each closed batch. The state for retractions takes up to a kilobyte
 * an event.
 */
import { type KeyedRecord, keyedRecord } from '@loomlog/runtime/step'
import type { EventTime, FactRecorded } from '@loomlog/schemas/events'
import type { EventTerm } from './event-terms.ts'

/** Strands in one bucket; the least recently joined one is evicted first. */
export const maxStrandsPerBucket = 16
/** Buckets of one event: those of its rarest terms. */
export const maxBucketsPerEvent = 10
/** Terms of a strand: those that most of its events share. */
export const maxTermsPerStrand = 24
/** Persons of a strand: those that most of its events name. */
export const maxPersonsPerStrand = 6
/** Strands of one person, with a model; the least recently joined one leaves first. */
export const maxStrandsPerPerson = 48
/** Last events of a strand, for the comparison with a new event. */
export const maxRecentPerStrand = 3
/** Events of one box that may wait in a strand for another box. */
export const maxWaitingPerStrand = 4
/** Speakers of one conversation; the first ones are kept. */
export const maxSpeakers = 16

/** A fact that happened, is planned or is a change, with the fields that weaving needs. */
export type EventFact = Pick<
  FactRecorded,
  'id' | 'conversation' | 'text' | 'relation' | 'when' | 'saidAt' | 'persons' | 'keywords' | 'isChange'
> & {
  /** Its box, or the correction that states it. */
  readonly box: string
}

/** By position: the events of the open batch. */
export const openBatch: KeyedRecord<EventFact> = keyedRecord('batch')
/** The number of events in the open batch: one record, under the key ''. */
export const batchSize: KeyedRecord<number> = keyedRecord('batch-size')

/**
 * By id of the input that ended a batch: its events if the ask about links has no answer, so that a retry weaves them;
 * else `woven`, which stays for ever. A refused embedding parks the input of a woven batch too. Its retry does nothing,
 * because the ids of its links are taken.
 */
export const closedBatches: KeyedRecord<readonly EventFact[] | 'woven'> = keyedRecord('closed')

/** By conversation: its speakers. */
export const speakers: KeyedRecord<readonly string[]> = keyedRecord('speakers')

/** A term's strands, and how often it occurs. */
export type Bucket = {
  /** By rules: boxes with an event that has the term. With a model: such events. */
  readonly count: number
  /** The box, or the event, that was counted last. */
  readonly last: string
  /** The most recently joined strand is the last. */
  readonly strands: readonly string[]
}
export const bucket: KeyedRecord<Bucket> = keyedRecord('bucket')

/** By rules the number of boxes with an event, with a model that of events: one record, under the key ''. */
export const textCount: KeyedRecord<number> = keyedRecord('counted')

export type TermCount = EventTerm & { readonly count: number }
export type PersonCount = { readonly person: string; readonly count: number }
/** An event in a strand. */
export type Mention = {
  readonly event: string
  readonly box: string
  readonly text: string
  readonly when: EventTime | null
  readonly toldAt: number
  readonly isChange: boolean
  readonly words: readonly EventTerm[]
}

/** A matter: a trace, or events that wait for a second box. The key is the trace's id. */
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
export const strand: KeyedRecord<Strand> = keyedRecord('strand')

/**
 * With a model, by person in lower case: the strands of the person's events, the most recently joined one last. Some
 * may be deleted.
 */
export const strandsByPerson: KeyedRecord<readonly string[]> = keyedRecord('of-person')

export type EventShare = {
  /** The strand in which it waits, or which it joined first. */
  readonly strand: string
  readonly mention: Mention
  readonly persons: readonly string[]
  readonly links: readonly { readonly id: string; readonly trace: string; readonly position: number }[]
}
/** By event: its share in its strands, or `open` while its batch is open. A retracted event never joins a strand. */
export const eventShares: KeyedRecord<EventShare | 'open' | 'retracted'> = keyedRecord('woven')

/** By trace and position, the newest first: the link and its event. */
export type Link = { readonly id: string; readonly event: string }
export const links: KeyedRecord<Link> = keyedRecord('link')

const lastPosition = 999_999_999

export function linkKey(trace: string, position: number): string {
  return `${trace}/${String(lastPosition - position).padStart(9, '0')}`
}
