/** Comparisons of two sentences that a change needs. */

export function containsPhrase(text: string, phrase: string): boolean {
  const at = text.toLowerCase().indexOf(phrase.toLowerCase())
  return (
    at >= 0 && !/[\p{L}\p{N}.]/u.test(text.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(at + phrase.length))
  )
}

/** Whether both have names beside their values and share none: another customer, another room. */
export function speakOfOthers(...sentences: readonly (readonly [sentence: string, value: string])[]): boolean {
  const [some = [], others = []] = sentences.map(([sentence, value]) => namesBeside(sentence, value))
  return some.length > 0 && others.length > 0 && !some.some((each) => others.includes(each))
}

function namesBeside(sentence: string, value: string): readonly string[] {
  const names = sentence.match(/(?<=\S )\p{Lu}[\p{L}\p{N}-]+/gu) ?? []
  return names.filter((each) => !value.includes(each) && each !== 'I')
}
