/**
 * Analyses a question (TriMem): the information that an answer needs, one to three queries, and the names in it. Rules
 * read them off the question's words. If the request asks for a model, its queries are searched too, and the names it
 * finds are searched beside the question's own words. Invariants: the question itself is the first query; the analysis
 * excludes no memory; if the model fails, the rules take over and the result has the reason.
 */
import { readFileSync } from 'node:fs'
import { isLoomlogError } from '@loomlog/errors'
import { names } from '@loomlog/language/names'
import { keywords } from '@loomlog/language/terms'
import { findTimes } from '@loomlog/language/times'
import type { Model } from '@loomlog/runtime/answers'
import { callSignal } from '../model-call.ts'
import { maxQuestionChars, questionFrom } from './question.ts'

export interface QuestionAnalysis {
  /** `rules`, or the name of the model. */
  readonly by: string
  /** The information that an answer needs. */
  readonly requires: readonly string[]
  /** The queries to search; the first is the question itself. */
  readonly queries: readonly string[]
  readonly keywords: readonly string[]
  readonly persons: readonly string[]
  readonly entities: readonly string[]
  readonly time: string | null
  readonly location: string | null
  /** The reason if rules replaced the model; else null. */
  readonly note: string | null
}

/** Including the question itself. */
const maxQueries = 3
const maxKeywords = 12
/** Timeout of the model's answer. */
const modelTimeoutMs = 20_000

const prompt = readFileSync(new URL('../prompts/understand.v2.md', import.meta.url), 'utf8')

const words = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 80 }, maxItems: maxKeywords } as const
const word = { type: ['string', 'null'], maxLength: 80 } as const
const sentences = (maxItems: number) =>
  ({ type: 'array', items: { type: 'string', minLength: 1, maxLength: 400 }, maxItems }) as const
const properties = {
  requires: sentences(4),
  queries: sentences(maxQueries),
  keywords: words,
  persons: words,
  entities: words,
  time: word,
  location: word,
}
const schema = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }

type ModelAnswer = Pick<QuestionAnalysis, keyof typeof properties>

/** Throws for no failure of the model, only the reason of the caller's signal. */
export async function analyseQuestion(
  query: string,
  model: Model | null,
  caller?: AbortSignal,
): Promise<QuestionAnalysis> {
  if (model === null) return analyseByRules(query, 'no model is configured (LOOMLOG_MODEL)')
  const signal = callSignal(modelTimeoutMs, caller)
  const input = { question: query.slice(0, maxQuestionChars), day: new Date().toISOString().slice(0, 10) }
  try {
    const request = { prompt, input, schema, schemaName: 'understanding', signal }
    const answer = await model.answer(request)
    return answer.kind === 'answer'
      ? analysisOf(query, answer.value as unknown as ModelAnswer, model.name)
      : analyseByRules(query, answer.reason)
  } catch (error) {
    caller?.throwIfAborted()
    if (signal.aborted) return analyseByRules(query, `${model.name} gave no answer within ${modelTimeoutMs} ms`)
    if (!isLoomlogError(error)) throw error
    return analyseByRules(query, error.message)
  }
}

/** The names that are not in the question's own words. Rules find none of these. */
export function namesBeyondQuestion({ queries: [query = ''], ...named }: QuestionAnalysis): readonly string[] {
  const { keywords, persons, entities, time, location } = named
  const inQuestion = query.toLowerCase()
  const all = [...keywords, ...persons, ...entities, ...[time ?? []].flat(), ...[location ?? []].flat()]
  return [...new Set(all)].filter((each) => !inQuestion.includes(each.toLowerCase()))
}

function analysisOf(query: string, answer: ModelAnswer, by: string): QuestionAnalysis {
  const queries = new Map([query, ...answer.queries].map((each) => [each.trim().toLowerCase(), each.trim()]))
  queries.delete('')
  return { ...answer, by, queries: [query, ...[...queries.values()].slice(1, maxQueries)], note: null }
}

/** By rules, a name after one of these words is a place. */
const beforePlace = /\b(?:in|at|near|from|to|around|visit(?:ed)?)\s+$/i

export function analyseByRules(query: string, note: string | null = null): QuestionAnalysis {
  const text = query.slice(0, maxQuestionChars)
  const { persons, entities } = names(text)
  const [time = null] = findTimes(text, 0)
  const location = entities.find((name) => beforePlace.test(text.slice(0, text.indexOf(name)))) ?? null
  const named = { persons, entities: entities.filter((name) => name !== location), location, time: time?.text ?? null }
  const requires = [...questionFrom(text, 0).wants]
  return { by: 'rules', requires, queries: [query], keywords: keywords([text], maxKeywords), ...named, note }
}
