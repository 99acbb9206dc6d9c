/** What topic-loom keeps: the open box of each conversation. Its lane is the conversation, so there is one. */

import { type Keyed, keyed } from '@loomlog/runtime/step'
import type { BoxUtterance } from '@loomlog/schemas/events'
import type { Line } from './tasks.ts'

export type OpenBox = {
  /** Never more than the recipe's `maxUtterances`. */
  readonly utterances: readonly BoxUtterance[]
  readonly tokens: number
  /** What was said right before the box: the rest of the window, while the box holds one utterance. Null after a silence. */
  readonly before: Line | null
  /** Keys of the answers that put these utterances together. */
  readonly completions: readonly string[]
}

export const openBox: Keyed<OpenBox> = keyed('open-box')
