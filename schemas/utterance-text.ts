/** The words of an utterance with the descriptions of its attachments: every stage and view uses this text. */
import type { Attachment } from './events.ts'

export function utteranceText(utterance: {
  readonly text: string
  readonly attachments: readonly Attachment[]
}): string {
  const shown = utterance.attachments.map((attachment) => ` [${attachment.kind}: ${attachment.description}]`)
  return utterance.text + shown.join('')
}
