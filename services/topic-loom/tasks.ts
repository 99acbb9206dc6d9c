/**
 * The task of topic-loom. Its input holds content only: speakers and words under local numbers, so that the same
 * content is the same ask in every conversation.
 */
import type { Task } from '@loomlog/runtime/step'
import * as local from './local.ts'
import type { Shifts, UnclearLines } from './task-types.ts'

/** Which of the unclear lines of a block open a new matter. (Membox, Topic Loom) */
export const findShifts: Task<UnclearLines, Shifts> = {
  name: 'find-shifts',
  prompt: 'find-shifts.v2',
  schema: {
    type: 'object',
    properties: { new: { type: 'array', items: { type: 'string' } } },
    required: ['new'],
    additionalProperties: false,
  },
  modelInput: ({ text }) => text,
  local: local.findShifts,
}
