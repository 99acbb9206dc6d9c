/**
 * The keyed records of topic-loom: the open box of its lane, a conversation; and the sealed box of each utterance, so that an undo can
 * remove the utterance from it.
 */

import { type KeyedRecord, keyed } from '@loomlog/runtime/step'
import type { BoxUtterance } from '@loomlog/schemas/events'
import type { Line } from './task-types.ts'

export type OpenBox = {
  /** At most the recipe's `maxUtterances`. */
  readonly utterances: readonly BoxUtterance[]
  readonly tokens: number
  /** The line right before the box: part of the window while the box holds one utterance. Null after a gap or a pause. */
  readonly before: (Line & { readonly id: string }) | null
  /** Keys of the answers that kept these utterances together. */
  readonly completions: readonly string[]
}

export const openBox: KeyedRecord<OpenBox> = keyed('open-box')

/** By utterance: its sealed box. */
export const boxOf: KeyedRecord<string> = keyed('box-of')

/** By sealed box: its utterances that are not undone. */
export const shown: KeyedRecord<readonly string[]> = keyed('shown')
