/** The content of an utterance as asks and scores read it. */
import type { BoxUtterance } from '@loomlog/schemas/events'

export type Line = { readonly speaker: string; readonly text: string }

/** The words of an utterance, with the descriptions of its attachments. */
export function line({ speaker, text, attachments }: Pick<BoxUtterance, 'speaker' | 'text' | 'attachments'>): Line {
  const shown = attachments.map((attachment) => ` [${attachment.kind}: ${attachment.description}]`)
  return { speaker, text: text + shown.join('') }
}
