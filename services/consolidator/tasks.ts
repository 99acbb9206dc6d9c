/**
 * The tasks of the consolidator. Their inputs hold content only: facts, entries and documents as text under local labels, with full
 * dates, so that the same content is the same ask in every document.
 */

import type { Task } from '@loomlog/runtime/task'
import type { FactKind } from '@loomlog/schemas/events'
import * as local from './local.ts'

/** The most documents that an ask offers for a fact. */
export const maxOffered = 6
/** The most entries that a new fact is compared with. */
export const maxCompared = 6
/** The most entries in the ask for a description: the newest ones. */
export const maxDescribed = 40

export type PlaceInput = {
  readonly fact: { readonly text: string; readonly subject: string; readonly keywords: readonly string[] }
  /** The most similar first. */
  readonly documents: readonly { readonly label: string; readonly title: string; readonly summary: string }[]
  /** The document by words alone: a label, or `new`. */
  readonly nearest: string
}
/** `title` names a new document; empty for an existing one. */
export type Placement = { readonly document: string; readonly title: string; readonly heading: string }

/** The topic document of a fact. (Infini Memory, merge planning) */
export const placeFact: Task<PlaceInput, Placement> = {
  name: 'place-fact',
  prompt: 'place-fact.v1',
  schema: {
    type: 'object',
    properties: {
      document: { type: 'string', enum: [...labels('d', maxOffered), 'new'] },
      title: { type: 'string', maxLength: 120 },
      heading: { type: 'string', maxLength: 60 },
    },
    required: ['document', 'title', 'heading'],
    additionalProperties: false,
  },
  local: local.placeFact,
}

export type Statement = {
  readonly text: string
  readonly kind: FactKind
  /** The slot, of which one value holds at a time: maya|lives in. */
  readonly slot: string | null
  /** The first day on which it holds: 2023-05-07. */
  readonly from: string
}
export type ReconcileInput = {
  readonly fact: Statement
  readonly entries: readonly (Statement & { readonly label: string })[]
}
export type Verdict = { readonly same: readonly string[]; readonly replaces: readonly string[] }

/** The entries that a new fact repeats, and those that can't hold beside it. (Infini Memory, merging) */
export const reconcileEntry: Task<ReconcileInput, Verdict> = {
  name: 'reconcile-entry',
  prompt: 'reconcile-entry.v1',
  schema: {
    type: 'object',
    properties: { same: labelList('e', maxCompared), replaces: labelList('e', maxCompared) },
    required: ['same', 'replaces'],
    additionalProperties: false,
  },
  local: local.reconcileEntry,
}

export type DescribeInput = {
  readonly kind: 'topic' | 'profile'
  /** The person of the profile, or the main subjects of the topic. */
  readonly subjects: readonly string[]
  readonly keywords: readonly string[]
  /** The newest entries, in the order of time. */
  readonly entries: readonly { readonly heading: string; readonly text: string; readonly from: string }[]
  /** The number of all entries. */
  readonly total: number
}
export type Description = { readonly title: string; readonly summary: string }

/** A document's title and summary. (Infini Memory, the summary line: topic keywords; concise factual summary) */
export const describeDocument: Task<DescribeInput, Description> = {
  name: 'describe-document',
  prompt: 'describe-document.v1',
  schema: {
    type: 'object',
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 120 },
      summary: { type: 'string', minLength: 1, maxLength: 600 },
    },
    required: ['title', 'summary'],
    additionalProperties: false,
  },
  local: local.describeDocument,
}

function labels(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)
}

function labelList(letter: string, count: number) {
  return { type: 'array', items: { type: 'string', enum: labels(letter, count) }, maxItems: count }
}
