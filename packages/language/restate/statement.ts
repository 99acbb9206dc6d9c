/** What restating gives, and what it needs to know. */
import type { EventTime } from '../times.ts'

export interface Said {
  readonly speaker: string
  readonly text: string
  /** When it was said, in ms since the epoch. */
  readonly at: number
  readonly attachments?: readonly { readonly description: string }[]
}

export interface Context {
  /** Who is spoken to, where that is one person. */
  readonly addressee: string | null
  /** What was said before, oldest first; the last few are enough. */
  readonly previous: readonly { readonly speaker: string; readonly text: string }[]
  readonly participants: readonly string[]
}

export type Tense = 'past' | 'present' | 'future'
export type Kind = 'event' | 'state' | 'preference' | 'plan'

/** One fact that stands by itself: third person, no pronouns, no times that depend on when it was said. */
export interface Statement {
  readonly text: string
  readonly subject: string
  readonly relation: string
  readonly object: string
  readonly tense: Tense
  readonly kind: Kind
  /** The time that is told in it, not the time of speaking. */
  readonly when: EventTime | null
  readonly persons: readonly string[]
  readonly entities: readonly string[]
  readonly keywords: readonly string[]
  readonly location: string | null
}
