/**
 * The keyed records of fact-extractor, for a space: the boxes of open windows, and the last lines of its conversations,
 * as context for the lines after them. `@loomlog/corrections/bans` keeps the facts and bans of each utterance, so that
 * corrections find the facts that they mean.
 */
import { type Effects, get, type KeyedRecord, keyedRecord, put } from '@loomlog/runtime/step'
import type { BoxSealed, BoxUtterance, WindowEnd } from '@loomlog/schemas/events'

export type ContextLine = { readonly speaker: string; readonly text: string }

export type Context = {
  /** The last lines before the window, oldest first; at most `contextLines`. */
  readonly before: readonly (ContextLine & Pick<BoxUtterance, 'id' | 'role' | 'at'>)[]
  /** The speakers of the conversation, in order of appearance; at most `maxParticipants`. */
  readonly participants: readonly string[]
  /** The language of the last line before the window; null: unknown so far. */
  readonly language: string | null
}

export const contextLines = 3
export const maxParticipants = 16
/** Conversations of a space whose last lines are kept. */
export const maxConversations = 32

/** By conversation. */
const contexts: KeyedRecord<Context> = keyedRecord('context')
/** The conversations with a context, the latest one last. One record, under the key ''. */
const conversations: KeyedRecord<readonly string[]> = keyedRecord('conversations')

/** By conversation, the latest one last. */
export type Contexts = readonly (readonly [conversation: string, context: Context])[]

export function* readContexts(): Effects<Contexts> {
  const known: [string, Context][] = []
  for (const conversation of (yield* get(conversations, '')) ?? []) {
    const context = yield* get(contexts, conversation)
    if (context !== null) known.push([conversation, context])
  }
  return known
}

/** Writes the contexts that have changed. */
export function* writeContexts(before: Contexts, after: Contexts): Effects<void> {
  const kept = new Map(after)
  for (const [conversation] of before) if (!kept.has(conversation)) yield* put(contexts, conversation, null)
  const earlier = new Map(before)
  for (const [conversation, context] of after) {
    if (earlier.get(conversation) !== context) yield* put(contexts, conversation, context)
  }
  yield* put(conversations, '', [...kept.keys()])
}

/** The fields of a box that its facts need. */
export type WindowBox = Pick<BoxSealed, 'id' | 'conversation' | 'utterances' | 'cut'>

/** The boxes of open windows, by window and position in it. */
export const openBoxes: KeyedRecord<WindowBox> = keyedRecord('window-box')

/** The seq of the latest pause of the space. One record, under the key ''. */
export const lastSpacePause: KeyedRecord<number> = keyedRecord('space-pause')

/**
 * Windows without any answer, for a retry, by the input that ended them; without boxes if some of these had an answer.
 */
export const unanswered: KeyedRecord<UnansweredWindow> = keyedRecord('unanswered')
export type UnansweredWindow = {
  readonly boxes: readonly WindowBox[]
  readonly known: Contexts
  readonly closedBy: WindowEnd
}

/** The undo events of which some ask without the undone lines had no answer. A retry of them has no effect. */
export const reread: KeyedRecord<true> = keyedRecord('reread')

/** Limit of a read of one window's boxes. A window ends long before: each box has a line, unless it is undone. */
export const maxOpenBoxes = 1_000
