/** Appends messages of any number, in parts that a request takes. */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import type { Message } from './api.ts'
import type { AddedEvents, AddOptions, WithUndefined } from './memory.ts'
import { prepareMessages } from './messages.ts'

/** Messages of a request, the most that loomlog takes. */
const maxMessages = 500
/** Characters of a request's JSON; a server takes 1,000,000 bytes, and a character has three at most. */
const maxChars = 300_000

/**
 * A part that is refused leaves the earlier ones in the log, and the error says how many messages those are. Messages
 * with an id or a time may be added again; others would be new messages.
 * @param append appends one part whole, or refuses it whole
 */
export async function addInParts(
  messages: WithUndefined<Message> | readonly WithUndefined<Message>[],
  { signal, ...options }: AddOptions = {},
  append: (part: readonly Message[], signal: AbortSignal | undefined) => Promise<AddedEvents>,
): Promise<AddedEvents> {
  const total = { ids: [] as string[], appended: 0, known: 0, position: '' }
  for (const part of partsOf(prepareMessages(messages, options))) {
    const { ids, appended, known, position } = await append(part, signal).catch((error) => {
      throw withPlace(error, total.ids.length)
    })
    total.ids.push(...ids)
    total.appended += appended
    total.known += known
    total.position = position
  }
  return total
}

/** At least one part: the log refuses a list without messages. */
function partsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const parts: Message[][] = [[]]
  let chars = 0
  for (const message of messages) {
    const own = JSON.stringify(message)?.length ?? 0
    const last = parts.at(-1) as Message[]
    const isFull = last.length === maxMessages || (last.length > 0 && chars + own > maxChars)
    if (isFull) {
      parts.push([message])
      chars = own
    } else {
      last.push(message)
      chars += own
    }
  }
  return parts
}

/** Faults name the message by its place among all messages of the call, and not among those of its part. */
function withPlace(error: unknown, before: number): unknown {
  if (before === 0 || !isLoomlogError(error)) return error
  const message = `${error.message}; the first ${before} messages are in the log`
  if (error.errors === undefined) return new LoomlogError(error.code, message, { cause: error })
  const errors = error.errors.map(({ pointer, detail }) => ({
    pointer: pointer.replace(/^\/(\d+)/, (_, at) => `/${Number(at) + before}`),
    detail,
  }))
  return new LoomlogError(error.code, message, { cause: error, errors })
}
