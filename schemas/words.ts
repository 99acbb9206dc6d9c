/** The words of an utterance, with what was shown along; what is embedded, counted and restated everywhere. */
import type { Attachment } from './events.ts'

export function wordsOf(utterance: { readonly text: string; readonly attachments: readonly Attachment[] }): string {
  const shown = utterance.attachments.map((attachment) => ` [${attachment.kind}: ${attachment.description}]`)
  return utterance.text + shown.join('')
}
