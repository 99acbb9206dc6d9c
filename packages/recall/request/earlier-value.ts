/** Recognises questions about an earlier value: the current answer doesn't come first for these. English only. */

const earlier = /\b(?:used to|previous(?:ly)?|former(?:ly)?|original(?:ly)?)\b|\bbefore\W*$/i
/** Words of questions about an earlier value, and of some about the current one: `When was the release moved to?` */
const maybeEarlier = /\b(?:did|was|were|had|before|first)\b/i

export function asksEarlier(query: string): boolean {
  return earlier.test(query)
}

export function mayAskEarlier(query: string): boolean {
  return earlier.test(query) || maybeEarlier.test(query)
}
