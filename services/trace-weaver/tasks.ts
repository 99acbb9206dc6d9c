/**
 * The task of trace-weaver. Its input is words and dates under local labels, so the same content is the same ask in
 * every batch.
 */
import type { Task } from '@loomlog/runtime/step'
import * as local from './local.ts'
import { rowsOf } from './rows.ts'
import type { LinkQuestion, Links } from './task-types.ts'

/** The matters that the events of a batch belong to. (Membox, Trace Weaver: verification) */
export const verifyLinks: Task<LinkQuestion, Links> = {
  name: 'verify-links',
  prompt: 'verify-links.v3',
  schema: {
    type: 'object',
    properties: { links: { type: 'array', items: { type: 'string' } } },
    required: ['links'],
    additionalProperties: false,
  },
  modelInput: rowsOf,
  local: local.verifyLinks,
}
