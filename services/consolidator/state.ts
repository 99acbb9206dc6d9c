/**
 * What the consolidator keeps of a space: its documents and their current entries, the timelines of what changes, and buckets
 * that say where a word was met; and of every fact where it stands, for when it is retracted. Every record is small and every list in
 * one is bounded; an entry that was retired is kept no longer.
 */

import { type Keyed, keyed } from '@loomlog/runtime/step'
import type { DocumentKind, EventTime, FactKind, Role } from '@loomlog/schemas/events'
import type { Rank } from './rank.ts'

/** Facts, and sources, that an entry names; the newest stay. Older ones stand in the entries that were merged into it. */
export const maxSources = 64
/** Documents that a bucket holds; the one with the fewest entries makes room. */
export const maxDocumentsInBucket = 12
/** Entries that a subject's word leads to; the oldest makes room. */
export const maxMentions = 12
/** Words of a fact that are put into buckets, and looked up in them. */
export const maxTerms = 16
/** Values that a timeline remembers; the oldest makes room. */
export const maxValues = 64

export type Place = { readonly document: string; readonly entry: string }

/** An entry that holds now. */
export type Entry = {
  readonly kind: DocumentKind
  readonly heading: string
  readonly text: string
  readonly factKind: FactKind
  readonly when: EventTime | null
  readonly validFrom: number
  /** The last time for which it was told. */
  readonly heldAt: number
  readonly speaker: string
  readonly role: Role
  readonly rank: Rank
  readonly subject: string
  readonly keywords: readonly string[]
  readonly facts: readonly string[]
  readonly sources: readonly string[]
  /** The timeline that it is a value of. */
  readonly slot: string | null
  /** The same statement in a profile. */
  readonly twin: Place | null
}

export const entries: Keyed<Entry> = keyed('entry')

export function entryKey(place: Place): string {
  return `${place.document}/${place.entry}`
}

export type Document = {
  readonly kind: DocumentKind
  readonly entity: string | null
  readonly title: string
  readonly summary: string
  /** Who described it, and with which recorded answers. */
  readonly describedBy: string
  readonly completions: readonly string[]
  /** How many of its entries hold now. */
  readonly entries: number
  readonly changes: number
  /** 1, or more for a document that continues a full one. */
  readonly part: number
  /** The first document of the row that it continues; its own id for the first. */
  readonly first: string
  /** In the first document of a row: the one that takes new entries. */
  readonly latest: string
}

export const documents: Keyed<Document> = keyed('document')

/** Where a word, subject or box was met. `spread` counts the documents, those that no longer fit in included. */
export type Bucket = {
  readonly spread: number
  readonly documents: readonly (readonly [document: string, count: number])[]
}

export const buckets: Keyed<Bucket> = keyed('bucket')

/** By subject and word: the entries about the subject that use it, newest last. */
export const mentions: Keyed<readonly Place[]> = keyed('mention')

/** One value of a slot such as "maya|lives in", in the order of event time. */
export type Value = {
  readonly place: Place
  readonly twin: Place | null
  readonly validFrom: number
  readonly heldAt: number
  readonly role: Role
  readonly rank: Rank
}

export const timelines: Keyed<readonly Value[]> = keyed('timeline')

/** A fact that was placed: where, and what its entry is made of again when another fact of the entry is retracted. */
export type PlacedFact = { readonly place: Place; readonly twin: Place | null } & Pick<
  Entry,
  | 'text'
  | 'factKind'
  | 'when'
  | 'validFrom'
  | 'heldAt'
  | 'speaker'
  | 'role'
  | 'rank'
  | 'subject'
  | 'keywords'
  | 'sources'
>

/** By fact; one that comes again changes nothing, nor does one that was retracted. */
export const placedFacts: Keyed<PlacedFact | 'retracted'> = keyed('placed')

/** By entry: the one that it was merged into. */
export const mergedInto: Keyed<Place> = keyed('merged-into')

/** By utterance: the facts that cite it, the newest of them. */
export const citing: Keyed<readonly string[]> = keyed('citing')
