/**
 * The phrases of a line: its words, its pairs of words, the first words of its first and last sentence, and its length.
 * A learned weight of each says how much it belongs to lines that open a topic, that end one, and that follow an
 * opening.
 */
/** Phrases with their three weights, in thousandths. */
export type PhraseWeights = readonly (readonly [phrase: string, opening: number, last: number, after: number])[]

const word = /[a-z']+|[?!.]/g
const sentenceEnd = /(?<=[.!?])\s+/
const firstWords = [1, 2, 3]

/** Each phrase once. */
export function phrasesOf(text: string): readonly string[] {
  const sentences = text
    .trim()
    .split(sentenceEnd)
    .map((sentence) => wordsOf(sentence))
  const [first = [], last = []] = [sentences[0], sentences.at(-1)]
  const words = sentences.flat()
  return [
    ...new Set([
      ...words,
      ...words.slice(1).map((next, i) => `${words[i]} ${next}`),
      ...firstWords.map((count) => `^${count} ${first.slice(0, count).join(' ')}`),
      ...firstWords.map((count) => `$${count} ${last.slice(0, count).join(' ')}`),
      `length ${Math.floor(Math.log2(1 + words.length))}`,
    ]),
  ]
}

function wordsOf(sentence: string): readonly string[] {
  return sentence.toLowerCase().match(word) ?? []
}
