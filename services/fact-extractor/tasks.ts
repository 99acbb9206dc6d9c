/**
 * The task of fact-extractor. Its input holds content only: lines under local labels, their times (which words such as "yesterday"
 * depend on), and the lines before them.
 */

import type { Task } from '@loomlog/runtime/task'
import type { FactKind, Role } from '@loomlog/schemas/events'
import * as local from './local.ts'
import type { ContextLine } from './state.ts'

export type BoxLines = {
  readonly lines: readonly {
    readonly label: string
    readonly speaker: string
    readonly role: Role
    /** ISO 8601, UTC. */
    readonly said: string
    readonly text: string
    /** Descriptions of the attachments. */
    readonly shown: readonly string[]
  }[]
  readonly before: readonly ContextLine[]
  readonly participants: readonly string[]
}

export type ExtractedFact = {
  readonly text: string
  readonly kind: FactKind
  readonly subject: string
  readonly relation: string
  readonly object: string
  /** ISO dates or times; `to` is exclusive. */
  readonly when: { readonly from: string; readonly to: string; readonly text: string } | null
  readonly location: string | null
  readonly persons: readonly string[]
  readonly entities: readonly string[]
  readonly keywords: readonly string[]
  /** Labels of the lines it restates. */
  readonly sources: readonly string[]
}

export type ExtractedFacts = { readonly facts: readonly ExtractedFact[] }

const words = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 120 }, maxItems: 12 }
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

/** Every new fact in a box as a self-contained restatement with its sources. (TriMem, atomic facts) */
export const extractFacts: Task<BoxLines, ExtractedFacts> = {
  name: 'extract-facts',
  prompt: 'extract-facts.v1',
  schema: {
    type: 'object',
    properties: {
      facts: {
        type: 'array',
        maxItems: 64,
        items: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
      },
    },
    required: ['facts'],
    additionalProperties: false,
  },
  local: local.extractFacts,
}
