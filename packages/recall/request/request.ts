/** What is asked of recall, and the checks that every request passes before anything is searched. */
import { LoomlogError } from '@loomlog/errors'
import { type Kind, kinds } from '../memory.ts'
import type { After } from './read-your-writes.ts'
import type { AsOf, Filter, Within } from './scope.ts'
import type { Understanding } from './understanding.ts'

/**
 * What is looked through (Membox): `content`, what was said, for which its facts speak, and no events; `trace_event`, what happened,
 * with the timelines it belongs to; `combined`, the default: what was said, and what happened speaks for it too. `documents` (Infini Memory):
 * documents by their summary, and their partitions by words.
 */
export const modes = ['content', 'trace_event', 'combined', 'documents'] as const
export type Mode = (typeof modes)[number]

export interface RecallRequest {
  /** `tenant/space`: one, or several that the caller may read. */
  readonly space: string | readonly string[]
  readonly query: string
  readonly mode?: Mode
  /** Only these of the mode's kinds. */
  readonly kinds?: readonly Kind[]
  /** How many memories at most. Default 10; with a budget, as many as fit. */
  readonly limit?: number
  /** What is shown takes at most this many tokens (cl100k). Default: no budget. */
  readonly budgetTokens?: number
  /** Who reads the question: `rules`, the default, or the model, which costs an answer. */
  readonly understanding?: Understanding
  readonly filter?: Filter
  readonly asOf?: AsOf
  /** Not before the views have what stands below this position. */
  readonly after?: After
  /** How long to wait for that, in ms. Default 5,000. */
  readonly maxWaitMs?: number
}

/** A query may be this long at most, in characters. */
export const maxQueryLength = 100_000
export const maxLimit = 200
export const maxBudgetTokens = 100_000
export const maxSpaces = 16
const defaultLimit = 10
/** How long a question waits for `after`, in ms: unless it says so, and at most. */
const waitMs = 5_000
export const mostWaitMs = 30_000

export interface CheckedRequest {
  readonly spaces: readonly string[]
  readonly query: string
  readonly mode: Mode
  readonly kinds: ReadonlySet<Kind>
  /** Were kinds chosen, by themselves or by the mode? Else evidence comes as what was said. */
  readonly chosen: 'kinds' | 'nothing'
  readonly limit: number
  /** Null: no budget. */
  readonly budgetTokens: number | null
  readonly understanding: Understanding
  readonly within: Within
  readonly after: After | null
  readonly maxWaitMs: number
}

const kindsOf: { readonly [mode in Mode]: readonly Kind[] } = {
  content: ['utterance', 'box', 'fact', 'document', 'profile'],
  trace_event: ['event'],
  combined: kinds,
  documents: ['document'],
}

/** @throws LoomlogError `input-invalid`, with the field, its value and what was expected */
export function checked(request: RecallRequest): CheckedRequest {
  const query = request.query.trim()
  if (query === '') throw new LoomlogError('input-invalid', 'query is empty: expected words to look for')
  if (query.length > maxQueryLength) {
    throw new LoomlogError('input-invalid', `query has ${query.length} characters: expected at most ${maxQueryLength}`)
  }
  const { budgetTokens, mode = 'combined', filter = {}, asOf = {}, after = null, maxWaitMs = waitMs } = request
  const spaces = [...new Set([request.space].flat())]
  if (spaces.length < 1 || spaces.length > maxSpaces) {
    throw new LoomlogError('input-invalid', `there are ${spaces.length} spaces: expected 1 to ${maxSpaces}`)
  }
  const inMode = kindsOf[mode]
  const wanted = new Set(request.kinds ?? inMode)
  for (const kind of wanted) {
    if (inMode.includes(kind)) continue
    const expected = `expected ${inMode.join(' or ')}, or another mode`
    throw new LoomlogError('input-invalid', `kind is ${kind}, which mode ${mode} leaves out: ${expected}`)
  }
  refuseNothing(filter)
  if (budgetTokens !== undefined) within('budgetTokens', budgetTokens, maxBudgetTokens)
  const limit = request.limit ?? (budgetTokens === undefined ? defaultLimit : maxLimit)
  within('limit', limit, maxLimit)
  within('maxWaitMs', maxWaitMs, mostWaitMs)
  const isChosen = request.kinds !== undefined || mode === 'trace_event' || mode === 'documents'
  const chosen: CheckedRequest['chosen'] = isChosen ? 'kinds' : 'nothing'
  const asked = { spaces, query, mode, kinds: wanted, chosen, limit, budgetTokens: budgetTokens ?? null }
  const { understanding = 'rules' } = request
  return { ...asked, understanding, within: { filter, asOf }, after, maxWaitMs }
}

/** Filters that nothing could ever pass are mistakes. */
function refuseNothing({ speakers = [], conversations = [], from, to }: Filter): void {
  for (const [field, names] of Object.entries({ speaker: speakers, conversation: conversations })) {
    if (names.some((name) => name.trim() === ''))
      throw new LoomlogError('input-invalid', `${field} is empty: expected one`)
  }
  if (from === undefined || to === undefined || from < to) return
  const [begin, end] = [from, to].map((at) => new Date(at).toISOString())
  throw new LoomlogError(
    'input-invalid',
    `from is ${begin}, to is ${end}: expected a from before to, which is not in it`,
  )
}

function within(field: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return
  throw new LoomlogError('input-invalid', `${field} is ${value}: expected a whole number from 1 to ${most}`)
}
