/** The content of utterances as asks and scores read it, and of a model's answer about it. */
import type { BoxUtterance } from '@loomlog/schemas/events'

export type Line = { readonly speaker: string; readonly text: string }

/** The words of an utterance, with the descriptions of its attachments. */
export function line({ speaker, text, attachments }: Pick<BoxUtterance, 'speaker' | 'text' | 'attachments'>): Line {
  const shown = attachments.map((attachment) => ` [${attachment.kind}: ${attachment.description}]`)
  return { speaker, text: text + shown.join('') }
}

/** The topic and keywords of a box. (Membox: a box holds messages, topic and keywords) */
export type Label = { readonly topic: string; readonly keywords: readonly string[] }

export type UnclearLines = {
  /** Stretches of the conversation; the lines in question are numbered from 1. */
  readonly text: string
  /** The numbers that open a box by rules. */
  readonly opens: readonly number[]
}
export type Shifts = { readonly new: readonly string[] }
