/**
 * The last utterance of each conversation and of each space, by its number in the file: after it the conversation
 * pauses, and the space. A file is read twice, so that a pause follows its utterance at once, in a stream too; only
 * two numbers a conversation are kept.
 */
import type { ConversationPaused, SpacePaused, UtteranceAppended } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { conversationPauseAfter, spacePauseAfter } from '../utterance.ts'

export class LastUtterances {
  readonly #ofConversation = new Map<string, number>()
  readonly #ofSpace = new Map<string, number>()

  /** @param number of the utterance in the file */
  note(utterance: UtteranceAppended, number: number): void {
    this.#ofConversation.set(conversationKey(utterance), number)
    this.#ofSpace.set(spaceKey(utterance.tenant, utterance.space), number)
  }

  get conversations(): number {
    return this.#ofConversation.size
  }

  /** `tenant/space` */
  get spaces(): Iterable<string> {
    return this.#ofSpace.keys()
  }

  get spaceCount(): number {
    return this.#ofSpace.size
  }

  pausesAfter(utterance: UtteranceAppended, number: number): readonly (ConversationPaused | SpacePaused)[] {
    if (this.#ofConversation.get(conversationKey(utterance)) !== number) return []
    const isLastOfSpace = this.#ofSpace.get(spaceKey(utterance.tenant, utterance.space)) === number
    return [conversationPauseAfter(utterance), ...(isLastOfSpace ? [spacePauseAfter(utterance)] : [])]
  }
}

/** Tenant and space hold no slash. */
function conversationKey({ tenant, space, conversation }: UtteranceAppended): string {
  return `${tenant}/${space}/${conversation}`
}
