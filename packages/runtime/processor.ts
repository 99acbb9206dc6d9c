/**
 * A processor: which stage it is, what it reads and writes, in which lanes it works, and its step. All of it data, but for
 * the step and the rules in its tasks; nothing here acts.
 */
import type { DerivedEvent, Draft, SpaceEvent } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import type { TopicName } from '@loomlog/topics/catalogue'
import type { Step } from './step.ts'
import type { Task } from './task.ts'

/** A stage's own numbers, by name. */
export type Parameters = { readonly [name: string]: number }

/** An event with its place in its space. */
export type Sequenced<E> = E & { readonly seq: number }

export interface Processor<
  In extends SpaceEvent = SpaceEvent,
  Out extends DerivedEvent = DerivedEvent,
  P extends Parameters = Parameters,
> {
  /** Kebab-case; the name of its folder. */
  readonly stage: string
  readonly reads: TopicName
  readonly writes: TopicName
  /** Which events of `reads` its step handles. Source events that may stand in `writes` are passed on, whether it does or not. */
  readonly handles: readonly In['type'][]
  /** Raised when the outputs for the same input may change. Part of the recipe. */
  readonly revision: number
  /** Numbers that a recipe may set, with their defaults; units last in the names. */
  readonly parameters: P
  /** Everything it may ask, embeddings apart. */
  readonly tasks: readonly Task<Json, Json>[]
  /** Where its prompts stand: one Markdown file a task and version. */
  readonly prompts: URL
  /** Do its rules ask for embeddings? Then the stage embedder is part of the recipe. */
  readonly embeds: 'stage-embedder' | 'nothing'
  /**
   * Events of one lane wait for each other and share keyed state; lanes run side by side. Within a space: the conversation,
   * or '' for one lane.
   */
  lane(event: In): string
  /** Can an input that got no answer be asked again later, and its events follow then? */
  readonly retry: 'again' | 'never'
  /** @param derivation its own: what a step says of memories may be for one derivation only, but no id may hold it */
  step(event: Sequenced<In>, parameters: P, derivation: string): Step<Draft<Out>>
}
