/**
 * What trace-weaver keeps, a space. Small records, each bounded: a bucket for every telling word, a strand for every matter that a
 * later event may still join, the events of boxes whose links could not be judged; and, so that an event can be retracted, what every
 * event gave to its strands, and the links of every trace (besides what `@loomlog/corrections/bans` keeps).
 *
 * A strand that no bucket holds any more can't be found again, and is deleted: what weaving needs grows with the words of a space,
 * not with the length of its history. What retracting needs is a few hundred bytes an event.
 */
import { type Keyed, keyed } from '@loomlog/runtime/step'
import type { Draft, EventRecorded, EventTime, Origin, RetractReason } from '@loomlog/schemas/events'
import type { TellingWord } from './telling-words.ts'

/** Strands that one word leads to; the ones that went longest without an event fall out first. */
export const maxStrandsPerBucket = 16
/** Words of one event that lead to its strand, the rarest ones. */
export const maxBucketsPerEvent = 10
/** Words that describe a strand, the ones that most of its events share. */
export const maxTermsPerStrand = 24
/** People of a strand, the ones that most of its events name. */
export const maxPersonsPerStrand = 6
/** A strand's last events, which a new one is compared with. */
export const maxRecentPerStrand = 3
/** Events of one box that may wait in a strand for another box. */
export const maxWaitingPerStrand = 4

/** How many boxes told of an event with this word, and which strands it leads to, the liveliest last. */
export type Bucket = {
  readonly boxes: number
  readonly lastBox: string
  readonly strands: readonly string[]
}
export const bucket: Keyed<Bucket> = keyed('bucket')

/** How many boxes told of any event: one record, under the key ''. */
export const boxesTold: Keyed<number> = keyed('boxes-told')

export type TermCount = TellingWord & { readonly count: number }
export type PersonCount = { readonly person: string; readonly count: number }
export type Told = {
  readonly event: string
  readonly box: string
  readonly text: string
  readonly when: EventTime | null
  readonly toldAt: number
  readonly words: readonly TellingWord[]
}

/** A matter: a trace, or what becomes one when a second box tells of it. Its key is the trace's id. */
export type Strand = {
  readonly title: string
  readonly events: number
  /** Links that were published. */
  readonly links: number
  readonly terms: readonly TermCount[]
  readonly persons: readonly PersonCount[]
  readonly recent: readonly Told[]
  /** Events of its first box, as long as no other box joined. */
  readonly waiting: readonly Told[]
  /** The last event that was linked. */
  readonly previous: string | null
  /** How many buckets lead here. */
  readonly buckets: number
}
export const strand: Keyed<Strand> = keyed('strand')

/** An event as it will be recorded, in a type that a keyed record can hold. */
export type EventDraft = Omit<Draft<EventRecorded>, 'origin'> & { readonly origin: Pick<Origin, keyof Origin> }

/** By box: its events, recorded but not yet woven, because there was no answer on what they belong to. Used by the retry. */
export const unwoven: Keyed<readonly EventDraft[]> = keyed('unwoven')

export type Woven = {
  /** The box, or the correction, that told it. */
  readonly box: string
  readonly stems: readonly string[]
  readonly persons: readonly string[]
  readonly links: readonly { readonly id: string; readonly trace: string; readonly position: number }[]
}
/** By event, what it gave to its strands; or which source event retracted it. */
export const woven: Keyed<Woven | { readonly retractedBy: string; readonly cause: RetractReason }> = keyed('woven')

/** By trace and position: the link. */
export const links: Keyed<string> = keyed('link')

export function linkKey(trace: string, position: number): string {
  return `${trace}/${String(position).padStart(9, '0')}`
}
