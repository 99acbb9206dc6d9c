/**
 * Limits for text that no person writes, so that the time for any utterance is proportional to its length.
 */

/** `!!!!!!!!` is read as `!!!`. */
export const maxRepeatedSigns = 3
/** Longer words are keys, links or noise, and are skipped. */
export const maxWordChars = 100
export const maxParenthesisChars = 300
/** Of a longer description only the first sentence is read, and it may be no longer. */
export const maxDescriptionChars = 600
/** A longer sentence gives no statement. */
export const maxSentenceWords = 120
