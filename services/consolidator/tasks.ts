/**
 * The task of the consolidator: one plan for a batch of facts. Its input holds content only, under local labels and
 * with full dates, so that the same content is the same ask.
 */

import type { Task } from '@loomlog/runtime/step'
import * as local from './local.ts'
import { rowPattern } from './plan/plan-rows.ts'
import { rowsOf } from './plan/rows.ts'
import type { BatchInput, BatchPlan } from './task-types.ts'

/** The most entries that one fact is compared with by rules. */
export const maxCompared = 6

/**
 * One plan for a batch: documents, headings, repetitions and ends. (Infini Memory, merge planning and merging)
 * A row that is too long is cut, so that it doesn't cost the whole plan.
 */
export const consolidateBatch: Task<BatchInput, BatchPlan> = {
  name: 'consolidate-batch',
  prompt: 'consolidate-batch.v2',
  schema: {
    type: 'object',
    properties: { rows: { type: 'array', items: { type: 'string', pattern: rowPattern } } },
    required: ['rows'],
    additionalProperties: false,
  },
  modelInput: rowsOf,
  isRepair: ({ refused }) => refused !== undefined,
  local: local.consolidateBatch,
}
