/**
 * What the consolidator asks for. Content only goes in: facts, entries and documents as text, named by local labels, with dates
 * written out, so that the same content is the same ask wherever it stands.
 */

import type { Task } from '@loomlog/runtime/task'
import type { FactKind } from '@loomlog/schemas/events'
import * as local from './local.ts'

/** Documents that are offered for a fact, at most. */
export const maxOffered = 6
/** Entries that a new fact is compared with, at most. */
export const maxCompared = 6
/** Entries that a description is made from, at most: the newest. */
export const maxDescribed = 40

export type PlaceInput = {
  readonly fact: { readonly text: string; readonly subject: string; readonly keywords: readonly string[] }
  /** The nearest first. */
  readonly documents: readonly { readonly label: string; readonly title: string; readonly summary: string }[]
  /** Where the words alone would put it: a label, or `new`. */
  readonly nearest: string
}
/** `title` is for a new document; empty where it goes into an old one. */
export type Placing = { readonly document: string; readonly title: string; readonly heading: string }

/** Which topic document does a fact belong in? (Infini Memory, merge planning) */
export const placeFact: Task<PlaceInput, Placing> = {
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
  /** What it is a value of, where only one value can hold at a time: maya|lives in. */
  readonly slot: string | null
  /** The day from which it holds: 2023-05-07. */
  readonly from: string
}
export type ReconcileInput = {
  readonly fact: Statement
  readonly entries: readonly (Statement & { readonly label: string })[]
}
export type Verdict = { readonly same: readonly string[]; readonly replaces: readonly string[] }

/** Which entries does a new fact repeat, and which can't hold along with it? (Infini Memory, merging) */
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
  /** Whose profile it is, or whom the topic is mostly about. */
  readonly subjects: readonly string[]
  readonly keywords: readonly string[]
  /** The newest, in the order of time. */
  readonly entries: readonly { readonly heading: string; readonly text: string; readonly from: string }[]
  /** How many there are in all. */
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
