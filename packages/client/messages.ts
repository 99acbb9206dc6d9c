/** Messages as they are sent: each with its conversation, and with what makes it safe to send it again. */
import { refuseUnknownFields } from '@loomlog/errors/unknown-field'
import type { Message } from './api.ts'
import type { AddOptions, WithUndefined } from './memory.ts'
import { optionFields } from './option-fields.ts'

type Fields = { readonly [field: string]: unknown }

/**
 * A message without an id and a time gets a random id here, so that a reply that is lost doesn't double it. With a
 * time, the log derives the id from the content. Anything that is no object stays as it is, and is refused by the log.
 */
export function prepareMessages(
  messages: WithUndefined<Message> | readonly WithUndefined<Message>[],
  options: AddOptions,
): readonly Message[] {
  refuseUnknownFields(options, optionFields.add)
  const { conversation } = options
  return [messages].flat().map((message) => {
    if (message === null || typeof message !== 'object') return message
    const { id, at } = message as unknown as Fields
    return {
      ...message,
      conversation: message.conversation ?? conversation,
      id: id ?? (at === undefined || at === null ? randomId() : undefined),
    } as Message
  })
}

/** 128 random bits. `crypto.randomUUID` is missing on pages that came over plain HTTP. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
