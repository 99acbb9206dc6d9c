/**
 * A processor: which stage it is, what it reads and writes, in which lanes it works, and its step. All of it data, but for
 * the step and the rules in its tasks; nothing here acts.
 */
import type { DerivedBody, LoomEvent } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import type { Step } from './step.ts'
import type { Task } from './task.ts'

export type Parameters = { readonly [name: string]: number }

export interface Processor<In extends LoomEvent, Out extends DerivedBody, P extends Parameters = Parameters> {
  /** Kebab-case; the name of its folder. */
  readonly stage: string
  /** The topic it reads, and the one it writes, by their names in the catalogue. */
  readonly reads: string
  readonly writes: string
  /** Raised when the outputs for the same input may change. Part of the recipe. */
  readonly revision: number
  /** Numbers that may be set in a recipe, with their defaults; units last in the names. */
  readonly parameters: P
  /** Everything it may ask, embeddings apart. */
  readonly tasks: readonly Task<never, Json>[]
  /** Does any task, by rules, ask for embeddings? Then the stage embedder is part of the recipe. */
  readonly embeds: 'stage-embedder' | 'nothing'
  /** Which events must wait for each other, within a space. */
  lane(event: In): string
  step(event: In, parameters: P): Step<Out>
}
