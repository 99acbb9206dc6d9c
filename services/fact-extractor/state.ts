/**
 * The keyed records of fact-extractor, in each conversation: the lines before the box, to resolve its words. `@loomlog/corrections/bans`
 * keeps the facts and bans of each utterance, so that corrections find the facts that they mean.
 */
import { type KeyedRecord, keyed } from '@loomlog/runtime/step'

export type ContextLine = { readonly speaker: string; readonly text: string }

export type Context = {
  /** The last lines before the box, oldest first; at most `contextLines`. */
  readonly before: readonly (ContextLine & { readonly id: string })[]
  /** The speakers of the conversation, in order of appearance; at most `maxParticipants`. */
  readonly participants: readonly string[]
}

export const contextLines = 3
export const maxParticipants = 16

export const context: KeyedRecord<Context> = keyed('context')
