/**
 * A step: a pure generator over one event. It yields effects (ask, get, put, range) and returns events. It uses no
 * clock, randomness or I/O, so a test drives it with recorded answers and the runtime with real ones.
 *
 * Every effect goes through `yield*` with the functions below, which give its result a type. An ask names a task: one
 * kind of question, with a prompt for a model and the same task by rules. Configuration chooses between the two, and
 * the choice is part of the recipe.
 */
import type { Json } from '@loomlog/schemas/ids'

/** A kind of small keyed record that a processor keeps, within one space. Never one value for a whole space. */
export interface KeyedRecord<T> {
  readonly name: string
  /** For the type checker only; never set. */
  readonly type?: T | undefined
}

export function keyedRecord<T extends Json>(name: string): KeyedRecord<T> {
  return { name }
}

export type Effect =
  | { readonly op: 'ask'; readonly asks: readonly Ask[] }
  | { readonly op: 'get'; readonly record: string; readonly key: string }
  | { readonly op: 'put'; readonly record: string; readonly key: string; readonly value: Json | null }
  | { readonly op: 'answerer'; readonly task: Task<Json, Json> }
  | { readonly op: 'range'; readonly record: string; readonly prefix: string; readonly limit: number }

export interface Ask {
  readonly task: Task<Json, Json>
  readonly input: Json
}

/** A generator that yields effects and returns events or, for a part of a step, any result. */
export type Effects<T> = Generator<Effect, T, unknown>
export type Step<E> = Effects<readonly E[]>

/** A stage's own numbers, by name. */
export type Parameters = { readonly [name: string]: number }

/**
 * An answer, or the recorded reason why there is none. The step handles both; on `none` its input is parked too. `by`
 * is `rules` or the model; `completions` are the keys of the recorded answers.
 */
export type Answer<O> =
  | { readonly kind: 'answer'; readonly value: O; readonly by: string; readonly completions: readonly string[] }
  | {
      readonly kind: 'none'
      readonly reason: string
      readonly value: null
      readonly by: string
      readonly completions: readonly string[]
    }

/** A JSON Schema object, as OpenAI-compatible endpoints take it for structured output. */
export type JsonSchema = { readonly [key: string]: Json }

/** One kind of question: the prompt for a model, the schema of the answer, and the same task by rules. */
export interface Task<I extends Json, O extends Json> {
  /** Kebab-case and unique in its stage: find-shifts. */
  readonly name: string
  /**
   * The prompt's file in the stage's `prompts/` without `.md`: find-shifts.v1. Null: the task has no model behind it.
   */
  readonly prompt: string | null
  /** The answer's schema. */
  readonly schema: JsonSchema
  /**
   * The part of the input that a model gets; default: all of it. The smaller it is, the more often a recorded answer
   * fits.
   */
  modelInput?(input: I): Json
  /**
   * Whether the ask sends back parts of an earlier answer; it is counted as a repair, in an account of its own.
   * Default: no.
   */
  isRepair?(input: I): boolean
  /**
   * The same task by rules: pure, and free to ask (for embeddings). `parameters` are the stage's own, from the recipe.
   */
  local(input: I, parameters: Parameters): Effects<O>
}

/** The built-in ask for a text's vector by the stage embedder: numbers from -127 to 127, as recorded. */
export const embed: Task<string, readonly number[]> = {
  name: 'embed',
  prompt: null,
  schema: { type: 'array', items: { type: 'integer' } },
  local() {
    throw new Error('embed is answered by the stage embedder, not by rules')
  },
}

/** Asks once. The answer is recorded before the step gets it; a replay calls no model. */
export function* ask<I extends Json, O extends Json>(task: Task<I, O>, input: I): Effects<Answer<O>> {
  const answers = (yield { op: 'ask', asks: [{ task, input }] }) as readonly Answer<O>[]
  return answers[0] as Answer<O>
}

/** Asks many at once, answered in the order of the inputs. */
export function* askAll<I extends Json, O extends Json>(
  task: Task<I, O>,
  inputs: readonly I[],
): Effects<readonly Answer<O>[]> {
  if (inputs.length === 0) return []
  return (yield { op: 'ask', asks: inputs.map((input) => ({ task, input })) }) as readonly Answer<O>[]
}

/**
 * Whether the recipe asks a model for this task, so that a step can batch asks that cost money. The same in every
 * replay.
 */
export function* isAskedOfModel<I extends Json, O extends Json>(task: Task<I, O>): Effects<boolean> {
  return (yield { op: 'answerer', task }) as boolean
}

export function* get<T extends Json>(record: KeyedRecord<T>, key: string): Effects<T | null> {
  return (yield { op: 'get', record: record.name, key }) as T | null
}

/**
 * Writes the record; null deletes it. Visible to the lane's next events at once, committed with this event's outputs.
 */
export function* put<T extends Json>(record: KeyedRecord<T>, key: string, value: T | null): Effects<void> {
  yield { op: 'put', record: record.name, key, value }
}

/** The records whose key starts with `prefix`, by key, at most `limit`. */
export function* range<T extends Json>(
  record: KeyedRecord<T>,
  prefix: string,
  limit: number,
): Effects<readonly (readonly [key: string, value: T])[]> {
  return (yield { op: 'range', record: record.name, prefix, limit }) as readonly (readonly [string, T])[]
}
