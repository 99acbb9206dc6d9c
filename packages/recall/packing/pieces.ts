/**
 * Cuts a passage that is too long to be shown whole: into its lines; these into sentences; and a sentence that is too
 * long, such as a text without punctuation or a line of data, into stretches that end with a word, if there are words.
 * Pure.
 */

export interface Piece {
  readonly text: string
  /** Stands between this piece and the one before, if both are shown. */
  readonly joint: '\n' | ' '
}

const sentenceEnd = /(?<=[.!?…][”"')\]]?)\s+|(?<=[。！？][」』”]?)(?=\S)/u
/** Some 40 tokens each. */
const stretch = /\S(?:.{0,159}(?=\s|$)|.{0,159})/gsu
/** In scripts without spaces between words. */
const denseStretch = /\S.{0,39}/gsu
const dense = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}]/u
const longSentenceChars = 320

export function piecesOf(passage: string): readonly Piece[] {
  const lines = passage.split(/\n+/).filter((line) => line.trim() !== '')
  return lines.flatMap((line) =>
    line
      .split(sentenceEnd)
      .filter((sentence) => sentence.trim() !== '')
      .flatMap((sentence) => stretchesOf(sentence))
      .map((text, at): Piece => ({ text, joint: at === 0 ? '\n' : ' ' })),
  )
}

function stretchesOf(sentence: string): readonly string[] {
  const isDense = dense.test(sentence)
  if (sentence.length <= (isDense ? longSentenceChars / 4 : longSentenceChars)) return [sentence]
  return sentence.match(isDense ? denseStretch : stretch) ?? [sentence]
}
