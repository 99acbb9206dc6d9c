/** Comparisons of two sentences that a change needs. */

export function containsPhrase(text: string, phrase: string): boolean {
  const [all, sought] = [text.toLowerCase(), phrase.toLowerCase()]
  for (let at = all.indexOf(sought); at >= 0; at = all.indexOf(sought, at + 1)) {
    const isWhole = !/[\p{L}\p{N}.]/u.test(all.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(all.charAt(at + sought.length))
    if (isWhole) return true
  }
  return false
}

/** The subject of `it costs 5 euros now` is in another message. */
export function beginsWithPronoun(sentence: string): boolean {
  return /^(?:it|he|she|they|this|that|these|those)(?![\p{L}\p{N}])/iu.test(sentence.trim())
}

/** Whether both have names beside their values and share none: another customer, another room. */
export function speakOfOthers(...sentences: readonly (readonly [sentence: string, value: string])[]): boolean {
  const [some = [], others = []] = sentences.map(([sentence, value]) => namesBeside(sentence, value))
  return some.length > 0 && others.length > 0 && !some.some((each) => others.includes(each))
}

/** Capitalised first words that are no names. */
const noName =
  /^(?:the|a|an|my|our|your|we|you|in|on|at|for|from|so|and|but|sorry|now|as|with|all|jobs?|rent|this|that)$/i

function namesBeside(sentence: string, value: string): readonly string[] {
  const names = sentence.match(/(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}-]+/gu) ?? []
  return names.filter(
    (each, at) => !value.includes(each) && !(at === 0 && sentence.startsWith(each) && noName.test(each)),
  )
}
