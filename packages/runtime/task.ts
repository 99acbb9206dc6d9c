/**
 * A task is one kind of question that a processor asks: its prompt for a model, the schema of its answer, and the same task by rules.
 * Configuration chooses between model and rules, and the choice is part of the derivation's recipe.
 */
import type { Json } from '@loomlog/schemas/ids'
import type { Parameters } from './processor.ts'
import type { Effects } from './step.ts'

/**
 * An answer, or the recorded reason why there is none. The step handles both; on `none` its input is parked too. `by` is `rules` or the
 * model; `completions` are the keys of the recorded answers.
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

export interface Task<I extends Json, O extends Json> {
  /** Kebab-case and unique in its stage: classify-shift. */
  readonly name: string
  /** The prompt's file in the stage's `prompts/` without `.md`: classify-shift.v1. Null: the task has no model behind it. */
  readonly prompt: string | null
  /** The answer's schema. */
  readonly schema: JsonSchema
  /** The part of the input that a model gets; default: all of it. The smaller it is, the more often a recorded answer fits. */
  modelInput?(input: I): Json
  /**
   * The same task by rules: pure, and free to ask (for embeddings). `parameters` are the stage's own, from the recipe.
   */
  local(input: I, parameters: Parameters): Effects<O>
}

/** The built-in ask for one text's vector in the stage embedder's space: numbers from -127 to 127, as recorded. */
export const embed: Task<string, readonly number[]> = {
  name: 'embed',
  prompt: null,
  schema: { type: 'array', items: { type: 'integer' } },
  local() {
    throw new Error('embed is answered by the stage embedder, not by rules')
  },
}
