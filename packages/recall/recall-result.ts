/**
 * What recall gives back: evidence, each piece with its sources and what it costs to show, and what was found and left out. Without a
 * budget the best come first; within a budget they stand in the order of time, since that is how they are read.
 */
import type { Scored } from './memory.ts'
import type { Understood } from './request/understanding.ts'

export interface Evidence extends Scored {
  /** What showing its text takes, in cl100k tokens. */
  readonly tokens: number
}

export interface LeftOut {
  readonly id: string
  /** `tenant/space`, in which the id means it. */
  readonly space: string
  readonly kind: Scored['kind']
  readonly score: number
  /** `limit`: others were better; `budget`: its tokens did not fit. */
  readonly why: 'limit' | 'budget'
}

export interface Answer {
  readonly items: readonly Evidence[]
  /** The items to be read, under the days they are of; each begins with its number among them, by which it can be cited. */
  readonly text: string
  /** Within a budget: what `text` takes. Without one: all items together. */
  readonly tokens: number
  /** Found and not shown. Of several kinds without the repeats that `ranking/merge-kinds.ts` drops. */
  readonly leftOut: readonly LeftOut[]
  /**
   * Only where the views are so far behind that not all they lack could be looked at: about so many records of the log, the older ones
   * of what is new, are not found yet; at most, of the spaces that were asked.
   */
  readonly unsearched?: number
  /** What the question was taken to require, where a model was to say it; and where it is explained. */
  readonly understood?: Understood
  /**
   * The probability that the memory holds the answer at all (`answerable.ts`); of several spaces or queries, the highest. Absent where kinds were chosen, and
   * where a model searched.
   */
  readonly answerable?: number
}
