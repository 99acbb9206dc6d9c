/**
 * What a question requires (TriMem): the information that an answer needs, one to three queries, and what is named in it. By rules it is read
 * off the question's words, and asks nobody; with a model, where that is asked for, its queries are searched as well, and what it names is
 * looked for beside the question's own words. What always holds: the question itself is the first query, nothing of it excludes anything, and
 * where the model fails, rules do and it is said why.
 */
import { readFileSync } from 'node:fs'
import { isLoomlogError } from '@loomlog/errors'
import { names } from '@loomlog/language/names'
import { keywords } from '@loomlog/language/terms'
import { findTimes } from '@loomlog/language/times'
import type { Model } from '@loomlog/runtime/answers'
import { questionFrom } from './question.ts'

/** `rules`, the default: nobody is asked. `model`: a question costs one answer of the model, and its time. */
export const understandings = ['rules', 'model'] as const
export type Understanding = (typeof understandings)[number]

export interface Understood {
  /** `rules`, or the model that understood it. */
  readonly by: string
  /** What information an answer needs. */
  readonly requires: readonly string[]
  /** What is searched; the first is the question itself. */
  readonly queries: readonly string[]
  readonly keywords: readonly string[]
  readonly persons: readonly string[]
  readonly entities: readonly string[]
  readonly time: string | null
  readonly location: string | null
  /** Why rules did where the model was to; else null. */
  readonly note: string | null
}

/** With the question itself. */
const maxQueries = 3
/** Of a question as the model gets it, and rules read it. */
const maxQuestionChars = 2_000
const maxKeywords = 12
/** A model that has not answered after this long is not waited for. */
const understoodWithinMs = 20_000

const prompt = readFileSync(new URL('../prompts/understand.v1.md', import.meta.url), 'utf8')

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

type Given = Pick<Understood, keyof typeof properties>

/** With a model. Never throws for what it does. */
export async function understand(query: string, model: Model | null): Promise<Understood> {
  if (model === null) return byRules(query, 'no model is configured (LOOMLOG_MODEL)')
  const signal = AbortSignal.timeout(understoodWithinMs)
  const input = { question: query.slice(0, maxQuestionChars), day: new Date().toISOString().slice(0, 10) }
  try {
    const request = { prompt, input, schema, schemaName: 'understanding', signal }
    const { none, value } = await model.answer(request)
    return none === null ? byModel(query, value as unknown as Given, model.name) : byRules(query, none)
  } catch (error) {
    if (signal.aborted) return byRules(query, `${model.name} gave no answer within ${understoodWithinMs} ms`)
    if (!isLoomlogError(error)) throw error
    return byRules(query, error.message)
  }
}

/** The words to look for besides the question's own: what was named beyond them. Rules name nothing that isn't there. */
export function wordsBeside({ queries: [query = ''], ...named }: Understood): readonly string[] {
  const { keywords, persons, entities, time, location } = named
  const held = query.toLowerCase()
  const said = [...keywords, ...persons, ...entities, ...[time ?? []].flat(), ...[location ?? []].flat()]
  return [...new Set(said)].filter((each) => !held.includes(each.toLowerCase()))
}

function byModel(query: string, given: Given, by: string): Understood {
  const queries = new Map([query, ...given.queries].map((each) => [each.trim().toLowerCase(), each.trim()]))
  queries.delete('')
  return { ...given, by, queries: [query, ...[...queries.values()].slice(1, maxQueries)], note: null }
}

/** A name behind one of these is a place, as far as rules can see. */
const placed = /\b(?:in|at|near|from|to|around|visit(?:ed)?)\s+$/i

export function byRules(query: string, note: string | null = null): Understood {
  const text = query.slice(0, maxQuestionChars)
  const { persons, entities } = names(text)
  const [time = null] = findTimes(text, 0)
  const location = entities.find((name) => placed.test(text.slice(0, text.indexOf(name)))) ?? null
  const found = { persons, entities: entities.filter((name) => name !== location), location, time: time?.text ?? null }
  const requires = [...questionFrom(text, 0).wants]
  return { by: 'rules', requires, queries: [query], keywords: keywords([text], maxKeywords), ...found, note }
}
