/**
 * The tasks of trace-weaver. Their inputs hold content only: words, speakers and dates under local labels, so that the same content is
 * the same ask in every box.
 */
import type { JsonSchema, Task } from '@loomlog/runtime/step'
import * as local from './local.ts'
import type { BoxText, FoundEvents, LinkQuestion, Links } from './task-types.ts'

const words: JsonSchema = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 80 }, maxItems: 12 }
const dates: JsonSchema = {
  anyOf: [
    {
      type: 'object',
      properties: { from: { type: 'string' }, to: { type: 'string' }, text: { type: 'string', maxLength: 60 } },
      required: ['from', 'to', 'text'],
      additionalProperties: false,
    },
    { type: 'null' },
  ],
}

/** The events and plans in a box. (Membox, Trace Weaver: event extraction) */
export const extractEvents: Task<BoxText, FoundEvents> = {
  name: 'extract-events',
  prompt: 'extract-events.v1',
  schema: {
    type: 'object',
    properties: {
      events: {
        type: 'array',
        maxItems: 16,
        items: {
          type: 'object',
          properties: {
            text: { type: 'string', minLength: 1, maxLength: 400 },
            sources: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 16 },
            when: dates,
            persons: words,
            keywords: words,
          },
          required: ['text', 'sources', 'when', 'persons', 'keywords'],
          additionalProperties: false,
        },
      },
    },
    required: ['events'],
    additionalProperties: false,
  },
  local: local.extractEvents,
}

/** A model sees this many candidates, the most similar first; rules see all of them. */
const maxCandidatesAsked = 3

/** The matters that an event belongs to. (Membox, Trace Weaver: verification) */
export const verifyLinks: Task<LinkQuestion, Links> = {
  name: 'verify-links',
  prompt: 'verify-links.v1',
  // The overlap changes with every event elsewhere in the space, which would make a new ask, and adds nothing to the texts.
  modelInput: ({ event, candidates }) => ({
    event,
    candidates: candidates.slice(0, maxCandidatesAsked).map(({ overlap: _, ...shown }) => shown),
  }),
  schema: {
    type: 'object',
    properties: {
      links: {
        type: 'array',
        maxItems: 8,
        items: {
          type: 'object',
          properties: { label: { type: 'string' }, score: { type: 'number', minimum: 0, maximum: 1 } },
          required: ['label', 'score'],
          additionalProperties: false,
        },
      },
    },
    required: ['links'],
    additionalProperties: false,
  },
  local: local.verifyLinks,
}
