/**
 * The tasks of the consolidator. Their inputs hold content only: facts, entries and documents as text under local labels, with full
 * dates, so that the same content is the same ask in every document.
 */

import type { Task } from '@loomlog/runtime/step'
import * as local from './local.ts'
import type { DescribeInput, Description, PlaceInput, Placement, ReconcileInput, Verdict } from './task-types.ts'

/** The most documents that an ask offers for a fact. */
export const maxOffered = 6
/** The most entries that a new fact is compared with. */
export const maxCompared = 6
/** The most entries in the ask for a description: the newest ones. */
export const maxDescribed = 40

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
