/**
 * A processor: its stage, the topics it reads and writes, its lanes and its step. All of it is data, except the step and the rules in its
 * tasks; nothing here acts.
 */
import type { DerivedEvent, Draft, SpaceEvent } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import type { TopicName } from '@loomlog/topics/catalogue'
import type { Step } from './step.ts'
import type { Task } from './task.ts'

/** A stage's own numbers, by name. */
export type Parameters = { readonly [name: string]: number }

/** An event with its seq in its space. */
export type SequencedEvent<E> = E & { readonly seq: number }

export interface Processor<
  In extends SpaceEvent = SpaceEvent,
  Out extends DerivedEvent = DerivedEvent,
  P extends Parameters = Parameters,
> {
  /** Kebab-case; the name of its folder. */
  readonly stage: string
  readonly reads: TopicName
  readonly writes: TopicName
  /** The events of `reads` that its step handles. Source events that `writes` may hold are passed on in any case. */
  readonly handles: readonly In['type'][]
  /** Raised when the outputs for the same input may change. Part of the recipe. */
  readonly revision: number
  /** Numbers that a recipe may set, with their defaults; units last in the names. */
  readonly parameters: P
  /** All its tasks, except embeddings. */
  readonly tasks: readonly Task<Json, Json>[]
  /** The folder of its prompts: one Markdown file for each task and version. */
  readonly prompts: URL
  /** Do its rules ask for embeddings? Then the stage embedder is part of the recipe. */
  readonly embeds: 'stage-embedder' | 'nothing'
  /**
   * Events of one lane wait for each other and share keyed state; lanes run side by side. Within a space: the conversation,
   * or '' for one lane.
   */
  lane(event: In): string
  /** Can an unanswered input be retried later, so that its events follow then? */
  readonly retry: 'again' | 'never'
  /** @param derivation its own: a step's statements about memories may hold for one derivation only, but ids never contain it */
  step(event: SequencedEvent<In>, parameters: P, derivation: string): Step<Draft<Out>>
}
