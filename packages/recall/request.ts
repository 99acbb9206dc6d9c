/** What is asked of recall, and the checks that every request passes before anything is searched. */
import { LoomlogError } from '@loomlog/errors'
import { type Kind, kinds } from './memory.ts'

/**
 * What is looked through (Membox): `content`, what was said and what was made of it; `trace_event`, what happened and the timelines it
 * belongs to; `combined`, the default, both.
 */
export const modes = ['content', 'trace_event', 'combined'] as const
export type Mode = (typeof modes)[number]

export interface RecallRequest {
  /** `tenant/space` */
  readonly space: string
  readonly query: string
  readonly mode?: Mode
  /** Only these of the mode's kinds. */
  readonly kinds?: readonly Kind[]
  /** How many memories at most. Default 10; with a budget, as many as fit. */
  readonly limit?: number
  /** What is shown takes at most this many tokens (cl100k). Default: no budget. */
  readonly budgetTokens?: number
}

/** A query may be this long at most, in characters. */
export const maxQueryLength = 100_000
export const maxLimit = 200
export const maxBudgetTokens = 100_000
const defaultLimit = 10

export interface CheckedRequest {
  readonly space: string
  readonly query: string
  readonly kinds: ReadonlySet<Kind>
  readonly limit: number
  /** Null: no budget. */
  readonly budgetTokens: number | null
}

const kindsOf: { readonly [mode in Mode]: readonly Kind[] } = {
  content: ['utterance', 'box', 'fact', 'document'],
  trace_event: ['event'],
  combined: kinds,
}

/** @throws LoomlogError `input-invalid`, with the field, its value and what was expected */
export function checked(request: RecallRequest): CheckedRequest {
  const query = request.query.trim()
  if (query === '') throw new LoomlogError('input-invalid', 'query is empty: expected words to look for')
  if (query.length > maxQueryLength) {
    throw new LoomlogError('input-invalid', `query has ${query.length} characters: expected at most ${maxQueryLength}`)
  }
  const { space, budgetTokens, mode = 'combined' } = request
  const inMode = kindsOf[mode]
  const wanted = new Set((request.kinds ?? inMode).filter((kind) => inMode.includes(kind)))
  if (budgetTokens !== undefined) within('budgetTokens', budgetTokens, maxBudgetTokens)
  const limit = request.limit ?? (budgetTokens === undefined ? defaultLimit : maxLimit)
  within('limit', limit, maxLimit)
  return { space, query, kinds: wanted, limit, budgetTokens: budgetTokens ?? null }
}

function within(field: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return
  throw new LoomlogError('input-invalid', `${field} is ${value}: expected a whole number from 1 to ${most}`)
}
