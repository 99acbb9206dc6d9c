/**
 * The memory around one turn: a context before the reply, the utterances of the turn after it. Neither ever rejects: a
 * failure of the memory goes to `onError`, and the agent replies without it. A failure of `onError` is a warning on the
 * console.
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
/** Most ids that a request leaves out. */
const mostExcluded = 100

export class TurnMemory {
  readonly #options: TurnOptions

  constructor(options: TurnOptions) {
    this.#options = options
  }

  speakerOf(role: TurnLine['role']): string {
    const { user = 'user', agent = 'assistant' } = this.#options
    return role === 'user' ? user : agent
  }

  /**
   * Empty where the memory knows nothing, or fails. The exclusions of the application's options are added.
   * @param options its `exclude` begins with the oldest ids, which are dropped where there are too many
   */
  async context(
    question: string | undefined,
    options: Pick<ContextOptions, 'budget' | 'exclude' | 'excludeLast'> = {},
    signal: AbortSignal | undefined = undefined,
  ): Promise<string> {
    const { space, user, context = {} } = this.#options
    const signals = [AbortSignal.timeout(timeoutMs), signal, context.signal]
    const given = listOf(context.exclude)
    return await this.attempt(async () => {
      const { text } = await space.context(question, {
        for: user,
        ...context,
        ...options,
        exclude: [...listOf(options.exclude), ...given].slice(-Math.max(mostExcluded, given.length)),
        excludeLast: [...listOf(options.excludeLast), ...listOf(context.excludeLast)],
        signal: AbortSignal.any(signals.filter((each) => each !== undefined)),
      })
      return text === '' ? '' : `${heading}\n\n${text}`
    }, '')
  }

  async record(conversation: string, lines: readonly TurnLine[]): Promise<void> {
    const { space } = this.#options
    const messages = lines.map(({ id, role, text }) => {
      const author = { speaker: this.speakerOf(role), role: role === 'user' ? 'human' : 'agent' } as const
      return { id, text, ...author }
    })
    if (messages.length === 0) return
    await this.attempt(async () => {
      await space.add(messages, { conversation, signal: AbortSignal.timeout(timeoutMs) })
    }, undefined)
  }

  /** The result of the work, or the fallback when it fails. */
  async attempt<T>(work: () => Promise<T>, fallback: T): Promise<T> {
    const { onError = warn } = this.#options
    try {
      return await work()
    } catch (error) {
      const report = async () => onError(error)
      report().catch(warn)
      return fallback
    }
  }
}

function warn(error: unknown): void {
  console.warn('the memory failed:', error)
}

function listOf(given: string | readonly string[] | undefined): readonly string[] {
  return given === undefined ? [] : [given].flat()
}

/**
 * The text of a message by its parts. A null is a part without words, such as the call of a tool, and ends a paragraph.
 * Consecutive texts of a reply are one paragraph, since providers divide sentences; those of a person are several.
 */
export function textOf(role: TurnLine['role'], parts: readonly (string | null)[]): string {
  const paragraphs = ['']
  for (const part of parts) {
    if (part === null || role === 'user') paragraphs.push(part ?? '')
    else paragraphs.push(`${paragraphs.pop()}${part}`)
  }
  return paragraphs.filter((words) => words.trim() !== '').join('\n\n')
}
