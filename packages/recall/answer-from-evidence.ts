/**
 * An answer in words, from evidence alone: concise, cited, and none where the evidence does not hold it. Only a model can say it; without
 * one the evidence stands for itself. What always holds: an answer cites pieces of the evidence it was given, or it is none.
 */
import { readFileSync } from 'node:fs'
import { isLoomlogError } from '@loomlog/errors'
import type { Model } from '@loomlog/runtime/answers'
import type { Answer, Evidence } from './recall-result.ts'

export interface Said {
  /** Null: there is none, and `why` says why. */
  readonly answer: string | null
  /** Ids of the evidence that it rests on. */
  readonly cites: readonly string[]
  /** The model that answered. */
  readonly by: string | null
  readonly why: string | null
}

/** A model that has not answered after this long is not waited for. */
const answerWithinMs = 60_000

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

/** Never throws for what the model does: the evidence is worth having without it. */
export async function answerFrom(query: string, { items }: Pick<Answer, 'items'>, model: Model | null): Promise<Said> {
  if (model === null) return none(null, 'no model is configured (LOOMLOG_MODEL): the evidence stands for itself')
  if (items.length === 0) return none(null, 'there is no evidence')
  const labels = new Map(items.map((item, index) => [`e${index + 1}`, item]))
  const input = { question: query, evidence: [...labels].map(([label, item]) => told(label, item)) }
  const signal = AbortSignal.timeout(answerWithinMs)
  try {
    const request = { prompt, input, schema, schemaName: 'answer', signal }
    const { none: missing, value } = await model.answer(request)
    if (missing !== null) return none(model.name, missing)
    return checkedAnswer(value as unknown as Given, labels, model.name)
  } catch (error) {
    if (signal.aborted) return none(model.name, `${model.name} gave no answer within ${answerWithinMs} ms`)
    if (!isLoomlogError(error)) throw error
    return none(model.name, error.message)
  }
}

interface Given {
  readonly answered: boolean
  readonly answer: string
  readonly cites: readonly string[]
}

function checkedAnswer({ answered, answer, cites }: Given, labels: ReadonlyMap<string, Evidence>, by: string): Said {
  if (!answered || answer.trim() === '') return none(by, 'the evidence does not hold the answer')
  const cited = [...new Set(cites)].map((label) => labels.get(label)?.id).filter((id) => id !== undefined)
  if (cited.length === 0) return none(by, 'the model cited no evidence for its answer')
  return { answer: answer.trim(), cites: cited, by, why: null }
}

function none(by: string | null, why: string): Said {
  return { answer: null, cites: [], by, why }
}

/** Content only: no ids. */
function told(label: string, { text, speaker, at, kind, replacedBy }: Evidence) {
  const day = at === null ? null : new Date(at).toISOString().slice(0, 10)
  return { label, kind, speaker, day, text, ...(replacedBy && { changed: true }) }
}
