/** The input and the answer of `verify-links`: content under local labels, without ids. */

/** An event in a timeline: `on` is its date, or else the day of its utterance. */
export type TimedText = { readonly text: string; readonly on: string }

export type LinkQuestion = {
  /**
   * Events of one batch, in the order of their utterances. An event without candidates is a candidate of another event.
   */
  readonly events: readonly (TimedText & {
    readonly label: string
    /** Matters, or earlier events of the batch, that it may belong to, with the score by rules, 0 to 1. */
    readonly candidates: readonly { readonly label: string; readonly score: number }[]
  })[]
  /** The last events of each matter, oldest first. */
  readonly matters: readonly { readonly label: string; readonly events: readonly TimedText[] }[]
}

/** Rows of an event and its candidates: `e3 m1 e2`. */
export type Links = { readonly links: readonly string[] }
