/** The numbers that a recipe may set. */
export type Parameters = {
  /** A silence longer than this ends the box, regardless of the next utterance. */
  readonly gapMs: number
  readonly maxUtterances: number
  readonly maxTokens: number
  /** The lowest score of a shift. */
  readonly shiftScore: number
  /** With a model: it is asked about scores between these two, if a block has at least `leastAsked` of them. */
  readonly askAbove: number
  readonly askBelow: number
  readonly leastAsked: number
  /** With a model: the size of a block. */
  readonly minBlockUtterances: number
  readonly maxBlockUtterances: number
  /** With more tokens in unsealed utterances, shifts are decided at once. */
  readonly maxWaitingTokens: number
}
