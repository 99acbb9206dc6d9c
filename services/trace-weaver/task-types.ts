/** The inputs and answers of the tasks. They hold content only: words, speakers and dates under local labels. */
import type { Role } from '@loomlog/schemas/events'

/** Whole days, both inclusive, as ISO dates; `text` is for people. */
export type Dates = { readonly from: string; readonly to: string; readonly text: string }

export type Line = {
  readonly label: string
  readonly speaker: string
  readonly role: Role
  /** The day, with its name: Monday 2023-05-08. */
  readonly said: string
  readonly text: string
  /** Descriptions of the attachments. */
  readonly shown: readonly string[]
}

export type BoxText = { readonly lines: readonly Line[] }

export type FoundEvent = {
  readonly text: string
  /** Labels of the lines that it comes from. */
  readonly sources: readonly string[]
  readonly when: Dates | null
  readonly persons: readonly string[]
  readonly keywords: readonly string[]
}

export type FoundEvents = { readonly events: readonly FoundEvent[] }

/** An event in a timeline: `on` is its date, or else the day of its utterance. */
export type TimedText = { readonly text: string; readonly on: string }

export type LinkQuestion = {
  readonly event: TimedText & { readonly persons: readonly string[] }
  readonly candidates: readonly (LinkCandidate & { readonly label: string })[]
}

export type LinkCandidate = {
  readonly title: string
  readonly persons: readonly string[]
  /** Its last events, oldest first. */
  readonly events: readonly TimedText[]
  /** The overlap of rare words with the event, 0 to 1, in twentieths. */
  readonly overlap: number
}

export type Links = { readonly links: readonly { readonly label: string; readonly score: number }[] }
