/**
 * The task of the consolidator: one plan for a batch of facts. Its input holds content only, under local labels and with full dates, so that
 * the same content is the same ask. Each text is one line.
 */

import type { Task } from '@loomlog/runtime/step'
import * as local from './local.ts'
import type { BatchInput, BatchPlan } from './task-types.ts'

/** The most topic documents that an ask offers. */
export const maxOffered = 12
/** The most entries that one fact is compared with. */
export const maxCompared = 6
/** The most characters of a summary; a longer one is cut. */
export const maxSummary = 240

const label = { type: 'string' }
const labels = { type: 'array', items: label }

/**
 * One plan for a batch: documents, headings, repetitions, ends and summaries. (Infini Memory, merge planning and merging)
 * The schema has no limits, so that a long summary doesn't cost the whole plan; the step cuts texts.
 */
export const consolidateBatch: Task<BatchInput, BatchPlan> = {
  name: 'consolidate-batch',
  prompt: 'consolidate-batch.v1',
  schema: objectOf({
    facts: listOf({ f: label, d: label, heading: { type: 'string' }, same: labels, ends: labels }),
    titles: listOf({ d: label, title: { type: 'string' } }),
    summaries: listOf({ d: label, summary: { type: 'string' } }),
  }),
  local: local.consolidateBatch,
}

function objectOf(properties: Task<BatchInput, BatchPlan>['schema']) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

function listOf(properties: Task<BatchInput, BatchPlan>['schema']) {
  return { type: 'array', items: objectOf(properties) }
}
