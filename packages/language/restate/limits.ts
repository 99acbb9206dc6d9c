/**
 * How much is read of what no person writes, so that no text takes long: the time for an utterance stays in proportion to its
 * length, whatever it is made of.
 */

/** `!!!!!!!!` is read as `!!!`. */
export const maxRepeatedSigns = 3
/** Longer words are keys, links or noise, and are not read. */
export const maxWordChars = 100
export const maxParenthesisChars = 300
/** A longer sentence tells nothing. */
export const maxSentenceWords = 120
