/** The input and the output of restating. */
import type { EventTime } from '../times.ts'

export interface Utterance {
  readonly speaker: string
  readonly text: string
  /** The time of the utterance, in ms since the epoch. */
  readonly at: number
  readonly attachments?: readonly { readonly description: string }[]
}

export interface Context {
  /** The addressee, if there is one person. */
  readonly addressee: string | null
  /** The utterances before, oldest first; the last few are enough. */
  readonly previous: readonly { readonly speaker: string; readonly text: string }[]
  readonly participants: readonly string[]
}

export type Tense = 'past' | 'present' | 'future'
export type Kind = 'event' | 'state' | 'preference' | 'plan'

/** A self-contained fact: third person, no pronouns except reflexive ones, no times relative to the utterance. */
export interface Statement {
  readonly text: string
  readonly subject: string
  readonly relation: string
  readonly object: string
  readonly tense: Tense
  readonly kind: Kind
  /** The time in the statement, not the time of the utterance. */
  readonly when: EventTime | null
  readonly persons: readonly string[]
  readonly entities: readonly string[]
  readonly keywords: readonly string[]
  readonly location: string | null
}
