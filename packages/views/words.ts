/**
 * The words of a text as LanceDB's full-text index sees them (tokenizer `icu/split`, English stems, no stop words):
 * words of any script in lower case, English ones as stems, Latin letters without accents, and the parts of foo_bar and
 * v1.2 each by itself.
 */
import { stemOf } from '@loomlog/language/words'
import { TextMap } from '@loomlog/text-caches'
import { maxStretchChars, segmented, spacelessScripts } from './spaceless-scripts.ts'

/** LanceDB's index leaves out words of 40 bytes or more. */
const wordBytesLimit = 40
/** The limit of the cache: some 100 bytes a word. */
const maxCachedWords = 100_000

const cache = new TextMap<string>()
/** A stretch of scripts without spaces, with the marks in it, or a run of letters and digits of all others. */
const run = new RegExp(
  String.raw`(?<stretch>[${spacelessScripts}][${spacelessScripts}\p{M}]{0,${maxStretchChars}})|[[\p{Alphabetic}\p{N}]--[${spacelessScripts}]]+`,
  'gv',
)

/** The words in the order of the text, with repetitions. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = []
  for (const { 0: found, groups } of text.toLowerCase().matchAll(run)) {
    for (const word of groups?.stretch === undefined ? [found] : segmented(found)) {
      const known = cache.get(word) ?? normalized(word)
      if (known !== '') words.push(known)
    }
  }
  return words
}

/** Empty: the index leaves the word out. */
function normalized(word: string): string {
  const stem = Buffer.byteLength(word) < wordBytesLimit ? withoutAccents(stemOf(word)) : ''
  if (cache.size >= maxCachedWords) cache.clear()
  cache.set(word, stem)
  return stem
}

/** Latin letters that Unicode does not decompose into a plain letter and an accent. */
const ligatures: { readonly [letter: string]: string } = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
  ĸ: 'q',
  ŧ: 't',
}

function withoutAccents(word: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/^[\x00-\x7f]*$/.test(word)) return word
  return word.replaceAll(/[\p{scx=Latin}\p{No}]/gu, (letter) => {
    return ligatures[letter] ?? letter.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  })
}
