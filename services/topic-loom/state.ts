/**
 * What topic-loom keeps: the open box of each conversation (its lane is the conversation, so there is one), and which sealed box each
 * utterance went into, so that it can be taken out again.
 */

import { type Keyed, keyed } from '@loomlog/runtime/step'
import type { BoxUtterance } from '@loomlog/schemas/events'
import type { Line } from './tasks.ts'

export type OpenBox = {
  /** Never more than the recipe's `maxUtterances`. */
  readonly utterances: readonly BoxUtterance[]
  readonly tokens: number
  /** What was said right before the box: the rest of the window, while the box holds one utterance. Null after a silence. */
  readonly before: (Line & { readonly id: string }) | null
  /** Keys of the answers that put these utterances together. */
  readonly completions: readonly string[]
}

export const openBox: Keyed<OpenBox> = keyed('open-box')

/** By utterance: the sealed box that it stands in. */
export const boxOf: Keyed<string> = keyed('box-of')

/** By sealed box: its utterances that were not undone. */
export const shown: Keyed<readonly string[]> = keyed('shown')
