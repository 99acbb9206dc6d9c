/**
 * The task of fact-extractor. Its input holds content only: lines under local labels, their times (which words such as "yesterday"
 * depend on), and the lines before them.
 */

import type { Task } from '@loomlog/runtime/step'
import * as local from './local.ts'
import { rowsOf } from './rows.ts'
import type { BoxLines, ExtractedFacts } from './task-types.ts'

const words = { type: 'array', items: { type: 'string' } }
const properties = {
  text: { type: 'string', minLength: 1, maxLength: 600 },
  kind: { type: 'string', enum: ['event', 'state', 'preference', 'plan'] },
  subject: { type: 'string', minLength: 1, maxLength: 200 },
  relation: { type: 'string', maxLength: 200 },
  object: { type: 'string', maxLength: 600 },
  when: {
    type: ['object', 'null'],
    properties: { from: { type: 'string' }, to: { type: 'string' }, text: { type: 'string' } },
    required: ['from', 'to', 'text'],
    additionalProperties: false,
  },
  location: { type: ['string', 'null'] },
  persons: words,
  entities: words,
  keywords: words,
  sources: words,
}

/** Every new fact in a window as a self-contained restatement with its sources. (TriMem, atomic facts) */
export const extractFacts: Task<BoxLines, ExtractedFacts> = {
  name: 'extract-facts',
  prompt: 'extract-facts.v2',
  schema: {
    type: 'object',
    properties: {
      facts: {
        type: 'array',
        items: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
      },
    },
    required: ['facts'],
    additionalProperties: false,
  },
  modelInput: rowsOf,
  local: local.extractFacts,
}
