/**
 * The keyed records of the consolidator, for a space: the open batch of facts, documents with their current entries,
 * timelines of slots, buckets that index words, and the place of every fact, for its retraction. Every record is small,
 * and every list in it is bounded. Retired entries are deleted.
 */

import { type Effects, get, type KeyedRecord, keyedRecord } from '@loomlog/runtime/step'
import type { DocumentKind, EventTime, FactKind, FactRecorded, Role } from '@loomlog/schemas/events'
import { hash } from '@loomlog/schemas/ids'
import type { Rank } from './record/rank.ts'

/** Facts, and sources, of an entry; the newest stay. Older ones are in the entries that were merged into it. */
export const maxSources = 64
/** Documents in a bucket; the one with the fewest entries makes room. */
export const maxDocumentsInBucket = 12
/** Entries for a subject and a word; the oldest makes room. */
export const maxMentions = 12
/** Entries in a posting; those that have ended leave it first, then the oldest. */
export const maxPostings = 48
/** Documents on the shelf of recently used ones. */
export const maxShelved = 40
/** Words of a fact that are indexed in buckets and looked up. */
export const maxTerms = 16
/** Values in a timeline; the oldest makes room. */
export const maxValues = 64

/** The fields of a fact that its entry needs. */
export type Fact = Pick<
  FactRecorded,
  | 'id'
  | 'box'
  | 'text'
  | 'kind'
  | 'subject'
  | 'relation'
  | 'object'
  | 'speaker'
  | 'role'
  | 'saidAt'
  | 'when'
  | 'until'
  | 'isChange'
  | 'persons'
  | 'entities'
  | 'keywords'
  | 'sources'
  | 'correction'
> & {
  /** The last time for which it is attested, where a correction decides that. */
  readonly attestedAt?: number
}

/** By place in the open batch: the fact that waits there. */
export const waitingFacts: KeyedRecord<Fact> = keyedRecord('waiting')
/** By fact: its place in the open batch. */
export const waitingPlaces: KeyedRecord<string> = keyedRecord('waiting-at')

/**
 * The open batch: its next place, its facts and their tokens, and a hash of its last fact's text. One record, under the
 * key ''.
 */
export type Batch = {
  readonly next: number
  readonly facts: number
  readonly tokens: number
  readonly digest: number
}
export const batch: KeyedRecord<Batch> = keyedRecord('batch')

/** A reference to an entry. */
export type EntryRef = { readonly document: string; readonly entry: string }

/** A current entry. */
export type Entry = {
  readonly kind: DocumentKind
  readonly heading: string
  /** Whether others may hold beside it under its heading. */
  readonly isOneOfSeveral: boolean
  /** Other words with which somebody may look for what stands under its heading; none by rules. */
  readonly askedAs: readonly string[]
  readonly text: string
  readonly factKind: FactKind
  readonly when: EventTime | null
  readonly validFrom: number
  /** The end that its words name; null: none. */
  readonly until: number | null
  /** The time of the latest utterance that says it. */
  readonly saidAt: number
  /** The last time for which it is attested. */
  readonly heldAt: number
  readonly speaker: string
  readonly role: Role
  readonly rank: Rank
  readonly subject: string
  readonly keywords: readonly string[]
  readonly facts: readonly string[]
  readonly sources: readonly string[]
  /** Its slot, such as "maya|lives in"; null: none. */
  readonly slot: string | null
  /** The copy of this entry in a profile. */
  readonly twin: EntryRef | null
}

export const entries: KeyedRecord<Entry> = keyedRecord('entry')

export function entryKey(place: EntryRef): string {
  return `${place.document}/${place.entry}`
}

export type Document = {
  readonly kind: DocumentKind
  readonly entity: string | null
  readonly title: string
  readonly summary: string
  /** The model, or `rules`, that described it, and the recorded answers. */
  readonly describedBy: string
  readonly completions: readonly string[]
  /** The number of its current entries. */
  readonly entries: number
  /** 1, or more for a document that continues a full one. */
  readonly part: number
  /** The first document of its series; its own id for the first. */
  readonly first: string
  /** In the first document of a series: the one that takes new entries. */
  readonly latest: string
}

export const documents: KeyedRecord<Document> = keyedRecord('document')

/** The document of facts that a plan files nowhere and that are near to no document. */
export const unsorted = hash(['topic', 'unsorted'])

/**
 * By word, subject or box: the documents with such entries. `spread` counts all of them, also those that don't fit in
 * the list; one that leaves the list and returns is counted again.
 */
export type Bucket = {
  readonly spread: number
  readonly documents: readonly (readonly [document: string, count: number])[]
}

export const buckets: KeyedRecord<Bucket> = keyedRecord('bucket')

/** By subject and word: the subject's entries with that word, newest last. */
export const mentions: KeyedRecord<readonly EntryRef[]> = keyedRecord('mention')

/**
 * By word, subject or relation: the newest entries with it, about any subject. `spread` counts all of them; under the
 * key '' it counts all entries.
 */
export type Posting = { readonly spread: number; readonly places: readonly EntryRef[] }

export const postings: KeyedRecord<Posting> = keyedRecord('posting')

/** By the words of a title: the topic document that a plan opened under it. */
export const titles: KeyedRecord<string> = keyedRecord('titled')

/** The topic documents that plans used last, the latest first. One record, under the key ''. */
export const shelf: KeyedRecord<readonly string[]> = keyedRecord('shelf')

/** One value of a slot such as "maya|lives in". */
export type Value = {
  readonly place: EntryRef
  readonly twin: EntryRef | null
  readonly validFrom: number
  readonly heldAt: number
  readonly role: Role
  readonly rank: Rank
}

/** By slot: its values in the order of event time. */
export const timelines: KeyedRecord<readonly Value[]> = keyedRecord('timeline')

/** The place of a fact, and the fields that rebuild its entry if another fact of the entry is retracted. */
export type PlacedFact = { readonly place: EntryRef; readonly twin: EntryRef | null } & Pick<
  Entry,
  | 'text'
  | 'factKind'
  | 'when'
  | 'validFrom'
  | 'until'
  | 'saidAt'
  | 'heldAt'
  | 'speaker'
  | 'role'
  | 'rank'
  | 'subject'
  | 'keywords'
  | 'sources'
>

/** By fact. A duplicate changes nothing, nor does a retracted fact that comes again. */
export const placedFacts: KeyedRecord<PlacedFact | 'retracted'> = keyedRecord('placed')

/** By entry: the one that it was merged into. */
export const mergedInto: KeyedRecord<EntryRef> = keyedRecord('merged-into')

/** The longest chain of merges. */
const maxMerges = 10_000

/** The entry that holds this statement now, after merges. */
export function* currentPlace(place: EntryRef): Effects<EntryRef> {
  let at = place
  for (let merges = 0; merges < maxMerges; merges++) {
    const next: EntryRef | null = yield* get(mergedInto, at.entry)
    if (next === null) break
    at = next
  }
  return at
}
