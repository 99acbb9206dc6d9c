/**
 * The memory around one turn: a context before the reply, the utterances of the turn after it. Neither ever rejects: a
 * failure of the memory goes to `onError`, and the agent replies without it.
 */
import type { ContextOptions, MemorySpace } from '@loomlog/client/memory'

export interface TurnOptions {
  readonly space: MemorySpace
  /** The author of the messages, whose standing instructions hold. Default: `user`, and the instructions of all. */
  readonly user?: string | undefined
  /** The author of the replies. Default: `assistant`. */
  readonly agent?: string | undefined
  /** Further options of `space.context`, such as the budget of tokens. */
  readonly context?: ContextOptions | undefined
  /** Takes the errors of the memory. Default: a warning on the console. */
  readonly onError?: ((error: unknown) => void) | undefined
}

export interface TurnLine {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** Longest wait for the memory, in each direction. */
const timeoutMs = 10_000
const heading = 'From the memory of earlier conversations:'

export class TurnMemory {
  readonly #options: TurnOptions

  constructor(options: TurnOptions) {
    this.#options = options
  }

  /** Empty where the memory knows nothing, or fails. */
  async context(
    question: string | undefined,
    options: ContextOptions = {},
    signal: AbortSignal | undefined = undefined,
  ): Promise<string> {
    const { space, user, context } = this.#options
    const timeout = AbortSignal.timeout(timeoutMs)
    return await this.attempt(async () => {
      const { text } = await space.context(question, {
        for: user,
        ...options,
        ...context,
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      })
      return text === '' ? '' : `${heading}\n\n${text}`
    }, '')
  }

  async record(conversation: string, lines: readonly TurnLine[]): Promise<void> {
    const { space, user = 'user', agent = 'assistant' } = this.#options
    const messages = lines.map(({ id, role, text }) =>
      role === 'user'
        ? ({ id, text, speaker: user, role: 'human' } as const)
        : ({ id, text, speaker: agent, role: 'agent' } as const),
    )
    if (messages.length === 0) return
    await this.attempt(async () => {
      await space.add(messages, { conversation, signal: AbortSignal.timeout(timeoutMs) })
    }, undefined)
  }

  /** The result of the work, or the fallback when it fails. */
  async attempt<T>(work: () => Promise<T>, fallback: T): Promise<T> {
    const { onError = (error) => console.warn('the memory failed:', error) } = this.#options
    try {
      return await work()
    } catch (error) {
      onError(error)
      return fallback
    }
  }
}
