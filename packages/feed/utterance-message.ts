/** Utterances as messages: each as it was appended, at the moment at which its record is durable. */
import { admit } from '@loomlog/schemas/admission'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import type { FeedMessage, MessageTopic } from './feed-message.ts'

/** Other source events, and records that the first stage would not admit, have no message. */
export const utteranceMessages: MessageTopic = {
  name: 'utterances',
  async messagesOf(records, codec, isWanted) {
    const messages: FeedMessage[] = []
    for (const { partition, offset, key, value } of records) {
      const event = key !== null && isWanted(key) ? await codec.decodeOwn(value) : null
      const begins = event?.type === 'SubjectForgotten' ? key : null
      const blank = { space: null, id: '', type: null, formerType: null, json: '', traceparent: null }
      const none = { partition, offset, ...blank, begins }
      const isAdmitted =
        event?.type === 'UtteranceAppended' && admit(event, key, [event.type], null).outcome === 'admitted'
      messages.push(isAdmitted ? { ...none, space: key, id: event.id, json: jsonOf(event) } : none)
    }
    return messages
  },
}

/** The fields are those of a listed memory of this kind; `text` has the speaker's words alone. */
function jsonOf({ id, conversation, speaker, role, text, at, appendedAt, attachments }: UtteranceAppended): string {
  return JSON.stringify({ id, kind: 'utterance', conversation, speaker, role, text, at, appendedAt, attachments })
}
