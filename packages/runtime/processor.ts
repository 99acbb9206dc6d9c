/**
 * A processor: its stage, the topics it reads and writes, its lanes and its step. It consists of data and pure
 * functions; nothing here acts.
 */
import type { DerivedRecord, Draft, SpaceRecord } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import type { TopicSpec } from '@loomlog/topics/catalogue'
import type { Ask, Effects, Parameters, Step, Task } from './step.ts'

/** An event with its seq in its space. */
export type SequencedEvent<E> = E & { readonly seq: number }

export interface Processor<
  In extends SpaceRecord = SpaceRecord,
  Out extends DerivedRecord = DerivedRecord,
  P extends Parameters = Parameters,
> {
  /** Kebab-case; the name of its folder. */
  readonly stage: string
  readonly reads: TopicSpec
  readonly writes: TopicSpec
  /** The events of `reads` that its step handles. Source events that `writes` may hold are passed on in any case. */
  readonly handles: readonly In['type'][]
  /** Raised when the outputs for the same input may change. Part of the recipe. */
  readonly revision: number
  /** Numbers that a recipe may set, with their defaults; units last in the names. */
  readonly parameters: P
  /** The parameters that are whole numbers, and the range that a recipe may set. The others are numbers from 0. */
  readonly counts?: { readonly [name in keyof P]?: readonly [least: number, most: number] }
  /** All its tasks, except embeddings. */
  readonly tasks: readonly Task<Json, Json>[]
  /** `if-named`: rules answer, unless a recipe names a model for the stage. Default: the configured model answers. */
  readonly model?: 'if-named'
  /** The folder of its prompts: one Markdown file for each task and version. */
  readonly prompts: URL
  /** `stage-embedder` if its rules ask for embeddings: the embedder is part of the recipe then. */
  readonly embeds: 'stage-embedder' | 'nothing'
  /**
   * Events of one lane wait for each other and share keyed state; lanes run side by side. Within a space: the
   * conversation, or '' for one lane.
   */
  lane(event: In): string
  /** `again`: an unanswered input may be retried later, and its outputs then follow. */
  readonly retry: 'again' | 'never'
  /** @param derivation the stage's own, for statements that hold for one derivation only; ids never contain it */
  step(event: SequencedEvent<In>, parameters: P, derivation: string): Step<Draft<Out>>
  /** Names the asks that depend on the lane's input alone, so that they are issued before their turn. Default: none. */
  readonly lookAhead?: LookAhead<In, P>
}

/**
 * A processor's statement of the asks that depend on its lane's input alone. The runtime issues them as soon as a
 * record is accepted, before the earlier records of the lane are done, so that the lane doesn't wait for one answer
 * after the other.
 *
 * A look-ahead is a fold over the events of a lane. Its carry holds the content that the next ask needs, such as the
 * last two lines. It is read from the lane's keyed records while the lane is idle, and folded on while records are in
 * flight. It decides nothing: the step asks again in its turn, and gets the same answer.
 *
 * - It names an ask only if the step makes it regardless of the earlier answers. Any other ask would be paid for
 *   without need.
 * - It is pure.
 */
export interface LookAhead<In extends SpaceRecord = SpaceRecord, P extends Parameters = Parameters, C = unknown> {
  /** The carry of an idle lane. Reads keyed records, and neither writes nor asks. */
  start(): Effects<C>
  /**
   * Null: the carry is unknown, since it depends on answers. The look-ahead then starts again once the lane is idle.
   */
  next(carry: C, event: SequencedEvent<In>, parameters: P): AsksWithCarry<C> | null
}

export interface AsksWithCarry<C> {
  readonly carry: C
  readonly asks: readonly Ask[]
}
