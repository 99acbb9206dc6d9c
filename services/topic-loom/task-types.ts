/** The input of the task, its answer, and the label of a box. They hold content only. */

/** The topic and keywords of a box. (Membox: a box holds messages, topic and keywords) */
export type Label = { readonly topic: string; readonly keywords: readonly string[] }

export type UnclearLines = {
  /** Stretches of the conversation, with all lines numbered from 1. */
  readonly text: string
  /** The numbers that open a box by rules. */
  readonly opens: readonly number[]
}
export type Shifts = { readonly new: readonly string[] }
