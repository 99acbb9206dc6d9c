/**
 * The tasks of topic-loom. Their inputs hold content only: speakers and words under local labels, so that the same content is the
 * same ask in every conversation.
 */
import type { Task } from '@loomlog/runtime/step'
import type { BoxUtterance } from '@loomlog/schemas/events'
import * as local from './local.ts'
import type { BoxText, Description, Line, Shift, ShiftInput } from './task-types.ts'

/** The words of an utterance, with the descriptions of its attachments. */
export function line({ speaker, text, attachments }: Pick<BoxUtterance, 'speaker' | 'text' | 'attachments'>): Line {
  const shown = attachments.map((attachment) => ` [${attachment.kind}: ${attachment.description}]`)
  return { speaker, text: text + shown.join('') }
}

/** Whether the next utterance continues the topic. (Membox, Topic Loom) */
export const classifyShift: Task<ShiftInput, Shift> = {
  name: 'classify-shift',
  prompt: 'classify-shift.v1',
  schema: {
    type: 'object',
    properties: { label: { type: 'string', enum: ['continuous', 'partial', 'discontinuous'] } },
    required: ['label'],
    additionalProperties: false,
  },
  local: local.classifyShift,
}

/** The topic and keywords of a sealed box. (Membox: a box holds messages, topic and keywords) */
export const describeBox: Task<BoxText, Description> = {
  name: 'describe-box',
  prompt: 'describe-box.v1',
  schema: {
    type: 'object',
    properties: {
      topic: { type: 'string', minLength: 1, maxLength: 120 },
      keywords: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 60 }, maxItems: 8 },
    },
    required: ['topic', 'keywords'],
    additionalProperties: false,
  },
  local: local.describeBox,
}
