/**
 * The keyed records of fact-extractor, in each conversation: the boxes of the open window, and the lines before it, to resolve its words. `@loomlog/corrections/bans`
 * keeps the facts and bans of each utterance, so that corrections find the facts that they mean.
 */
import { type KeyedRecord, keyed } from '@loomlog/runtime/step'
import type { BoxSealed } from '@loomlog/schemas/events'

export type ContextLine = { readonly speaker: string; readonly text: string }

export type Context = {
  /** The last lines before the window, oldest first; at most `contextLines`. */
  readonly before: readonly (ContextLine & { readonly id: string })[]
  /** The speakers of the conversation, in order of appearance; at most `maxParticipants`. */
  readonly participants: readonly string[]
  /** Of the last line before the window; null: unknown so far. */
  readonly language: string | null
}

export const contextLines = 3
export const maxParticipants = 16

export const context: KeyedRecord<Context> = keyed('context')

/** The fields of a box that its facts need. */
export type WindowBox = Pick<BoxSealed, 'id' | 'utterances' | 'cut'>

/** By place: the boxes of the open window. */
export const openBoxes: KeyedRecord<WindowBox> = keyed('window-box')

/** By the box that ended it: a window without any answer, for a retry. */
export const unanswered: KeyedRecord<UnansweredWindow> = keyed('unanswered')
export type UnansweredWindow = { readonly boxes: readonly WindowBox[]; readonly known: Context }

/** More boxes than a window ever holds: each has a line, unless it is undone. */
export const maxOpenBoxes = 1_000
