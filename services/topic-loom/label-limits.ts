/** Limits of a box's label, by rules and by a model. */
export const maxTopicChars = 120
export const maxKeywordChars = 60
export const maxKeywords = 8
