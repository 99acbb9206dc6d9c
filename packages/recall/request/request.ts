/** A request for evidence, and the checks that it passes before anything is searched. */
import { LoomlogError } from '@loomlog/errors'
import { invalidInput } from '@loomlog/errors/invalid-input'
import type { Table } from '@loomlog/views/table'
import { type Kind as BuiltInKind, tables } from '@loomlog/views/tables'
import type { Kind } from '../memory.ts'
import type { AnalysisMethod } from './choices.ts'
import type { AsOf, Filter, Scope } from './filter.ts'
import type { AfterPosition } from './read-your-writes.ts'

/**
 * The part of the memory to search (Membox). `content`: utterances, with the scores of their facts added.
 * `trace_event`: events, which are facts that happened or are planned, with the timelines they belong to. `combined`,
 * the default: utterances, with the scores of their facts added, those of events twice. `documents` (Infini Memory):
 * documents by their summary, and their partitions by words.
 */
export const modes = ['content', 'trace_event', 'combined', 'documents'] as const
export type Mode = (typeof modes)[number]

export interface RecallRequest {
  /** `tenant/space`: one, or several that the caller may read. */
  readonly space: string | readonly string[]
  readonly query: string
  readonly mode?: Mode
  /** Only these of the mode's kinds, each searched by itself. */
  readonly kinds?: readonly Kind[]
  /** Memories at most. Default 10; within a budget, as many as fit. */
  readonly limit?: number
  /** Tokens (cl100k) of the result's text at most. Default: no budget. */
  readonly budgetTokens?: number
  /** How the question is analysed: by `rules`, the default, or by the model, which costs one answer. */
  readonly understanding?: AnalysisMethod
  readonly filter?: Filter
  /** Ids of memories to leave out, with all memories that rest on them alone. The asker sees them already. */
  readonly exclude?: readonly string[]
  /** Conversations whose last utterances are left out. The asker sees them already. */
  readonly excludeLast?: readonly ConversationEnd[]
  readonly asOf?: AsOf
  /** A log position: the recall waits until the views have every record below it. */
  readonly after?: AfterPosition
  /** How long to wait for `after`, in ms. Default 5,000. */
  readonly maxWaitMs?: number
}

export interface ConversationEnd {
  readonly conversation: string
  /** Number of utterances. */
  readonly count: number
}

/** Utterances at the end of a conversation that a request leaves out. */
export const maxExcludedLast = 200
/** In characters. */
export const maxQueryLength = 100_000
export const maxLimit = 200
export const maxBudgetTokens = 100_000
export const maxSpaces = 16
const defaultLimit = 10
const defaultWaitMs = 5_000
export const maxWaitMs = 30_000

export interface CheckedRequest {
  readonly spaces: readonly string[]
  readonly query: string
  readonly mode: Mode
  /** The kinds that the request or its mode chooses. Null: none is chosen, and evidence comes as utterances. */
  readonly kinds: ReadonlySet<Kind> | null
  readonly limit: number
  /** Null: no budget. */
  readonly budgetTokens: number | null
  readonly understanding: AnalysisMethod
  readonly scope: Scope
  readonly exclude: ReadonlySet<string>
  readonly excludeLast: readonly ConversationEnd[]
  readonly after: AfterPosition | null
  readonly maxWaitMs: number
}

const kindsOf: { readonly [mode in Exclude<Mode, 'combined'>]: readonly BuiltInKind[] } = {
  content: ['utterance', 'box', 'fact', 'document', 'profile'],
  trace_event: ['event'],
  documents: ['document'],
}

/**
 * @param all the tables of the views; default: loomlog's own
 * @throws LoomlogError `input-invalid`, with the field, its value and the expected values
 */
export function checkRequest(request: RecallRequest, all: readonly Table[] = tables): CheckedRequest {
  const query = request.query.trim()
  if (query === '') throw new LoomlogError('input-invalid', 'query is empty: expected words to look for')
  if (query.length > maxQueryLength) {
    throw new LoomlogError('input-invalid', `query has ${query.length} characters: expected at most ${maxQueryLength}`)
  }
  const { budgetTokens, mode = 'combined', filter = {}, asOf = {}, after = null, maxWaitMs = defaultWaitMs } = request
  const spaces = [...new Set([request.space].flat())]
  if (spaces.length < 1 || spaces.length > maxSpaces) {
    throw new LoomlogError('input-invalid', `there are ${spaces.length} spaces: expected 1 to ${maxSpaces}`)
  }
  const kinds: readonly Kind[] = all.flatMap((table) => table.kinds)
  const inMode = mode === 'combined' ? kinds : kindsOf[mode]
  for (const kind of request.kinds ?? []) checkKind(kind, kinds, { mode, inMode })
  refuseEmpty(filter)
  if (budgetTokens !== undefined) checkRange('budgetTokens', budgetTokens, maxBudgetTokens)
  const limit = request.limit ?? (budgetTokens === undefined ? defaultLimit : maxLimit)
  for (const { count } of request.excludeLast ?? []) checkRange('excludeLast', count, maxExcludedLast)
  checkRange('limit', limit, maxLimit)
  checkRange('maxWaitMs', maxWaitMs, maxWaitMs)
  const choosesKinds = request.kinds !== undefined || mode === 'trace_event' || mode === 'documents'
  return {
    spaces,
    query,
    mode,
    kinds: choosesKinds ? new Set(request.kinds ?? inMode) : null,
    limit,
    budgetTokens: budgetTokens ?? null,
    understanding: request.understanding ?? 'rules',
    scope: { filter, asOf },
    exclude: new Set(request.exclude ?? []),
    excludeLast: request.excludeLast ?? [],
    after,
    maxWaitMs,
  }
}

function checkKind(
  kind: Kind,
  all: readonly Kind[],
  { mode, inMode }: { readonly mode: Mode; readonly inMode: readonly Kind[] },
): void {
  if (!all.includes(kind)) {
    throw invalidInput('kind', kind, `one of ${all.join(', ')}`)
  }
  if (inMode.includes(kind)) return
  const expected = `expected ${inMode.join(' or ')}, or another mode`
  throw new LoomlogError('input-invalid', `kind is ${kind}, which mode ${mode} leaves out: ${expected}`)
}

/** A filter that no memory can pass is a mistake. */
function refuseEmpty({ speakers = [], conversations = [], from, to }: Filter): void {
  for (const [field, names] of Object.entries({ speaker: speakers, conversation: conversations })) {
    if (names.some((name) => name.trim() === ''))
      throw new LoomlogError('input-invalid', `${field} is empty: expected one`)
  }
  if (from === undefined || to === undefined || from < to) return
  const [begin, end] = [from, to].map((at) => new Date(at).toISOString())
  throw new LoomlogError(
    'input-invalid',
    `from is ${begin}, to is ${end}: expected a from before to, which is exclusive`,
  )
}

function checkRange(field: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return
  throw new LoomlogError('input-invalid', `${field} is ${value}: expected a whole number from 1 to ${most}`)
}
