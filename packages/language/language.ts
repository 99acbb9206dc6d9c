/**
 * The language of a line in a conversation. Rules read English only, so a line in another language must not be read as
 * English, nor a short English one be lost. A line that is too short or in doubt has the language of its conversation
 * so far. Pure: the same line after the same language gives the same language. eld's n-grams take a fifth of a second
 * to load, so they are loaded on first use.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { TextMap } from '@loomlog/text-caches'
import { proseOf } from './restate/prose.ts'

const require = createRequire(import.meta.url)
let loaded: typeof import('eld/extrasmall').eld | null = null

/** The language that the rules are written and measured for. */
const languageOfRules = 'en'

/** Characters of a line that the detector reads: enough to be sure. */
const maxCharacters = 500
/** Fewer Latin letters decide nothing: `See ya Nate!` resembles Estonian. */
const leastLetters = 10
/** A line whose score for English is nearer than this to its best score is in doubt. */
const leastLead = 0.05

const letter = /\p{L}/gu
const latinLetter = /\p{scx=Latin}/gu

/**
 * An ISO 639-1 code; null: unknown so far.
 *
 * @param before the language of the conversation before this line
 */
export function languageOf(text: string, before: string | null): string | null {
  const { isLatin, recognised } = signs(text.slice(0, maxCharacters))
  if (recognised === null) return before
  const { language, isReliable, lead } = recognised
  if (!isLatin) return isReliable || before === null || before === languageOfRules ? language || before : before
  if (!isReliable) return before
  return language === languageOfRules || lead >= leastLead ? language : before
}

/** The signs of a line's language, without its conversation. */
interface Signs {
  readonly isLatin: boolean
  /** Null: too few letters. `lead`: the score of the language minus that of English. */
  readonly recognised: { readonly language: string; readonly isReliable: boolean; readonly lead: number } | null
}

/** The size of the cache: two stages of a process read the same lines, one soon after the other. */
const maxTexts = 2_048
const texts = new TextMap<Signs>()

function signs(text: string): Signs {
  const known = texts.get(text)
  if (known) return known
  const found = signsOf(proseOf(text))
  if (texts.size >= maxTexts) texts.clear()
  // In V8 a part of a text keeps the whole text in memory. A copy of the part doesn't.
  texts.set(structuredClone(text), found)
  return found
}

function signsOf(said: string): Signs {
  const letters = said.match(letter)?.length ?? 0
  const isLatin = 2 * (said.match(latinLetter)?.length ?? 0) >= letters
  if (letters === 0 || (isLatin && letters < leastLetters)) return { isLatin, recognised: null }
  const { language, getScores, isReliable } = detector().detect(said)
  const { [language]: best = 0, [languageOfRules]: english = 0 } = getScores()
  return { isLatin, recognised: { language, isReliable: isReliable(), lead: best - english } }
}

function detector(): typeof import('eld/extrasmall').eld {
  // eld exports ES modules only, which `require` finds by path alone.
  loaded ??= (require(fileURLToPath(import.meta.resolve('eld/extrasmall'))) as typeof import('eld/extrasmall')).eld
  return loaded
}

/** The languages of a conversation's lines, in order. */
export function languagesOf(texts: readonly string[], before: string | null = null): readonly (string | null)[] {
  let last = before
  return texts.map((text) => (last = languageOf(text, last)))
}

/** Whether the rules read this language. They read a line of unknown language as English. */
export function isReadByRules(language: string | null): boolean {
  return language === null || language === languageOfRules
}
