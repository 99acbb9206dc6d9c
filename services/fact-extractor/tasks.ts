/**
 * The task of fact-extractor. Its input holds content only: lines under local labels, their times (which words such as
 * "yesterday" depend on), and the lines before them.
 */

import type { Task } from '@loomlog/runtime/step'
import { rowPattern } from './answer-rows.ts'
import * as local from './local.ts'
import { rowsOf } from './rows.ts'
import type { FactAnswer, WindowLines } from './task-types.ts'

/**
 * Every new fact in a window as a self-contained restatement with its sources (TriMem, atomic facts), and the topics of
 * its boxes.
 */
export const extractFacts: Task<WindowLines, FactAnswer> = {
  name: 'extract-facts',
  prompt: 'extract-facts.v4',
  schema: {
    type: 'object',
    properties: { rows: { type: 'array', items: { type: 'string', pattern: rowPattern } } },
    required: ['rows'],
    additionalProperties: false,
  },
  modelInput: rowsOf,
  local: local.extractFacts,
}
