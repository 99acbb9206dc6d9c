/**
 * What fact-extractor keeps, in each conversation: a little of what was said before the box, so that words can be resolved; and, in
 * `@loomlog/corrections/bans`, what was told from each utterance and what must not be, so that corrections find the facts they mean.
 */
import { type Keyed, keyed } from '@loomlog/runtime/step'

export type Said = { readonly speaker: string; readonly text: string }

export type Context = {
  /** The last lines before the box, oldest first; at most `contextLines`. */
  readonly before: readonly (Said & { readonly id: string })[]
  /** Who has spoken in the conversation, in order of appearance; at most `maxParticipants`. */
  readonly participants: readonly string[]
}

export const contextLines = 3
export const maxParticipants = 16

export const context: Keyed<Context> = keyed('context')
