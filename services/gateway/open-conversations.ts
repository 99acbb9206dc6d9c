/**
 * The open conversations and spaces of a partition of `utterances`, and the pauses that end those without utterances
 * for a while. A pause that the log has already ends its conversation or space too.
 */
import { conversationPauseAfter, spacePauseAfter } from '@loomlog/intake/utterance'
import type { LogRecord } from '@loomlog/log/port'
import type { ConversationPaused, LoomEvent, SpacePaused, UtteranceAppended } from '@loomlog/schemas/events'

/** The fields of an utterance that a pause needs: its text would take memory for as long as its space is open. */
type LastUtterance = Pick<UtteranceAppended, 'id' | 'tenant' | 'space' | 'conversation' | 'at' | 'appendedAt'>

/** The last utterance of an open conversation or space, and its offset. */
interface OpenEntry {
  readonly last: LastUtterance
  readonly offset: number
  readonly traceparent: string | undefined
}

export interface QuietPause {
  readonly pause: ConversationPaused | SpacePaused
  /** Of the last utterance. */
  readonly traceparent: string | undefined
}

export class OpenConversations {
  readonly #conversations: OpenEntries
  readonly #spaces: OpenEntries

  /** @param limits a space never pauses before its conversations, also with a shorter limit */
  constructor(limits: { readonly pauseAfterMs: number; readonly spacePauseAfterMs: number }) {
    const { pauseAfterMs, spacePauseAfterMs } = limits
    this.#conversations = new OpenEntries(pauseAfterMs)
    this.#spaces = new OpenEntries(Math.max(pauseAfterMs, spacePauseAfterMs))
  }

  /** Takes the records of the partition in their order. */
  note(event: LoomEvent | null, { key, offset, traceparent }: LogRecord): void {
    const space = key ?? ''
    switch (event?.type) {
      case 'UtteranceAppended': {
        const { id, tenant, conversation, at, appendedAt } = event
        const last = { id, tenant, space: event.space, conversation, at, appendedAt }
        const open = { last, offset, traceparent }
        this.#conversations.note(JSON.stringify([space, conversation]), open)
        this.#spaces.note(space, open)
        break
      }
      case 'ConversationPaused':
        this.#conversations.paused(JSON.stringify([space, event.conversation]), event.afterUtterance)
        break
      case 'SpacePaused':
        this.#spaces.paused(space, event.afterUtterance)
        break
      // No pause may name a forgotten conversation or utterance.
      case 'SubjectForgotten':
        this.#conversations.forget((key) => (JSON.parse(key) as readonly string[])[0] === space)
        this.#spaces.forget((key) => key === space)
    }
  }

  hasQuiet(now: number): boolean {
    return this.#conversations.hasQuiet(now) || this.#spaces.hasQuiet(now)
  }

  /** Removes the quiet conversations and spaces, and returns their pauses. */
  takePauses(now: number): readonly QuietPause[] {
    const conversations = this.#conversations.takeQuiet(now)
    const spaces = this.#spaces.takeQuiet(now)
    return [
      ...conversations.map(({ last, traceparent }) => ({ pause: conversationPauseAfter(last), traceparent })),
      ...spaces.map(({ last, traceparent }) => ({ pause: spacePauseAfter(last), traceparent })),
    ]
  }

  /** The offset of the oldest open conversation or space. Null: none is open. */
  get lowestOffset(): number | null {
    const offsets = [this.#conversations.lowestOffset, this.#spaces.lowestOffset].filter((offset) => offset !== null)
    return offsets.length === 0 ? null : Math.min(...offsets)
  }
}

/** The open conversations, or the open spaces, by key. */
class OpenEntries {
  /** In the order of their offsets. */
  readonly #open = new Map<string, OpenEntry>()
  readonly #afterMs: number

  constructor(afterMs: number) {
    this.#afterMs = afterMs
  }

  /** @param open has a higher offset than every entry before */
  note(key: string, open: OpenEntry): void {
    this.#open.delete(key)
    this.#open.set(key, open)
  }

  /** Removes an entry whose pause is in the log already. */
  paused(key: string, afterUtterance: string): void {
    if (this.#open.get(key)?.last.id === afterUtterance) this.#open.delete(key)
  }

  forget(isForgotten: (key: string) => boolean): void {
    for (const key of this.#open.keys()) if (isForgotten(key)) this.#open.delete(key)
  }

  hasQuiet(now: number): boolean {
    for (const open of this.#open.values()) if (this.#isQuiet(open, now)) return true
    return false
  }

  /** Removes and returns the quiet entries. */
  takeQuiet(now: number): readonly OpenEntry[] {
    const quiet = [...this.#open].filter(([, open]) => this.#isQuiet(open, now))
    for (const [key] of quiet) this.#open.delete(key)
    return quiet.map(([, open]) => open)
  }

  /** Null: none is open. */
  get lowestOffset(): number | null {
    const [oldest] = this.#open.values()
    return oldest?.offset ?? null
  }

  #isQuiet({ last }: OpenEntry, now: number): boolean {
    return last.appendedAt + this.#afterMs <= now
  }
}
