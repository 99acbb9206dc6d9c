/**
 * The one task of this stage. Its input holds content only, under local labels, so that the same content is the same
 * ask in every box.
 */
import type { JsonSchema, Task } from '@loomlog/runtime/step'
import * as local from './local.ts'
import type { BoxLines, FoundPromises } from './task-types.ts'

const text: JsonSchema = { type: 'string', minLength: 1, maxLength: 300 }
const due: JsonSchema = {
  type: 'object',
  properties: { from: { type: 'string' }, to: { type: 'string' }, text: { type: 'string', maxLength: 60 } },
  required: ['from', 'to', 'text'],
  additionalProperties: false,
}
const promise: JsonSchema = {
  type: 'object',
  properties: {
    line: { type: 'string' },
    action: text,
    to: { anyOf: [text, { type: 'null' }] },
    due: { anyOf: [due, { type: 'null' }] },
  },
  required: ['line', 'action', 'to', 'due'],
  additionalProperties: false,
}

export const findPromises: Task<BoxLines, FoundPromises> = {
  name: 'find-promises',
  prompt: 'find-promises.v1',
  schema: {
    type: 'object',
    properties: { promises: { type: 'array', maxItems: 32, items: promise } },
    required: ['promises'],
    additionalProperties: false,
  },
  local: local.findPromises,
}
