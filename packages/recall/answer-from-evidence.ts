/**
 * Answers a question in words, concisely, from evidence alone. Without a model the evidence is the result. Invariant:
 * every answer cites some of the given evidence.
 */
import { readFileSync } from 'node:fs'
import { isLoomlogError } from '@loomlog/errors'
import type { Model } from '@loomlog/runtime/answers'
import { isOutdated } from './memory.ts'
import { callSignal } from './model-call.ts'
import { withMarks } from './packing/evidence-text.ts'
import type { Evidence, RecallResult } from './recall-result.ts'

export interface CitedAnswer {
  /** Null: no answer, for the reason in `why`. */
  readonly answer: string | null
  /** Ids of the evidence that it cites. */
  readonly cites: readonly string[]
  /** The name of the model; null without one. */
  readonly by: string | null
  readonly why: string | null
}

/** Timeout of the model's answer. */
const modelTimeoutMs = 60_000

const prompt = readFileSync(new URL('./prompts/answer.v1.md', import.meta.url), 'utf8')

const schema = {
  type: 'object',
  properties: {
    answered: { type: 'boolean' },
    answer: { type: 'string' },
    cites: { type: 'array', items: { type: 'string' } },
  },
  required: ['answered', 'answer', 'cites'],
  additionalProperties: false,
} as const

/**
 * Throws for no failure of the model, since the evidence is useful without an answer; only the reason of the caller's
 * signal.
 */
export async function answerFrom(
  query: string,
  { items }: Pick<RecallResult, 'items'>,
  model: Model | null,
  caller?: AbortSignal,
): Promise<CitedAnswer> {
  if (model === null) return noAnswer(null, 'no model is configured (LOOMLOG_MODEL): the evidence stands for itself')
  if (items.length === 0) return noAnswer(null, 'there is no evidence')
  const labels = new Map(items.map((item, index) => [`e${index + 1}`, item]))
  const input = { question: query, evidence: [...labels].map(([label, item]) => promptItem(label, item)) }
  const signal = callSignal(modelTimeoutMs, caller)
  try {
    const request = { prompt, input, schema, schemaName: 'answer', signal }
    const answer = await model.answer(request)
    if (answer.kind === 'none') return noAnswer(model.name, answer.reason)
    return checkedAnswer(answer.value as unknown as ModelAnswer, labels, model.name)
  } catch (error) {
    caller?.throwIfAborted()
    if (signal.aborted) return noAnswer(model.name, `${model.name} gave no answer within ${modelTimeoutMs} ms`)
    if (!isLoomlogError(error)) throw error
    return noAnswer(model.name, error.message)
  }
}

interface ModelAnswer {
  readonly answered: boolean
  readonly answer: string
  readonly cites: readonly string[]
}

function checkedAnswer(
  { answered, answer, cites }: ModelAnswer,
  labels: ReadonlyMap<string, Evidence>,
  by: string,
): CitedAnswer {
  if (!answered || answer.trim() === '') return noAnswer(by, 'the evidence does not hold the answer')
  const ids = [...new Set(cites)].map((label) => labels.get(label)?.id).filter((id) => id !== undefined)
  if (ids.length === 0) return noAnswer(by, 'the model cited no evidence for its answer')
  return { answer: answer.trim(), cites: ids, by, why: null }
}

function noAnswer(by: string | null, why: string): CitedAnswer {
  return { answer: null, cites: [], by, why }
}

/** An item as the model reads it: by its label, without its id. */
function promptItem(label: string, item: Evidence) {
  const { speaker, at, kind, retractedBy } = item
  const day = at === null ? null : new Date(at).toISOString().slice(0, 10)
  const isChanged = retractedBy !== undefined || isOutdated(item)
  return { label, kind, speaker, day, ...(isChanged ? { text: item.text, changed: true } : { text: withMarks(item) }) }
}
