/**
 * Words with their parts of speech, tagged by wink-nlp; only this file uses wink. Its model takes a quarter of a second
 * to load, so it is loaded on first use: many commands never need it. The same text always gives the same words.
 */
import { createRequire } from 'node:module'
import { noteTextCache, TextMap } from '@loomlog/text-caches'
import type { ItemSentence, Model, WinkMethods } from 'wink-nlp'
import type { EventTime } from './times.ts'

export interface Word {
  readonly text: string
  readonly lower: string
  /** Universal part of speech: NOUN, PROPN, VERB, AUX, PRON, ADP… */
  readonly pos: string
  readonly lemma: string
  /** Whether white space precedes it. */
  readonly isSpaced: boolean
  /** Set if the word stands for a whole date; its part of speech is then TIME. */
  readonly time?: EventTime
}

/**
 * Characters that an instance of wink reads before a new one takes its place, which takes a tenth of a second. An
 * instance keeps every new word for ever, some 150 bytes each: in this much text up to 100 MB, and usually a few.
 */
const maxCharactersRead = 4_000_000

const require = createRequire(import.meta.url)
const model = once(() => require('wink-eng-lite-web-model') as Model & { readonly addons: { readonly stem: Stem } })
const wink = once(() => require('wink-nlp') as typeof import('wink-nlp').default)
const tagger = withPeriodicReload(() => wink()(model(), ['sbd', 'pos']))
const stemOnce = once(() => cached(model().addons.stem))
const stemmer = withPeriodicReload(() => wink()({ ...model(), addons: { ...model().addons, stem: stemOnce() } }, []))

function once<T>(load: () => T): () => T {
  let loaded: T | null = null
  return () => {
    loaded ??= load()
    return loaded
  }
}

/** @param limit characters until `load` is called again; a forgetting has the same effect */
export function withPeriodicReload<T>(load: () => T, limit = maxCharactersRead): (text: string) => T {
  let loaded: T | null = null
  let read = 0
  const unload = () => {
    loaded = null
    read = 0
  }
  const get = (text: string) => {
    if (read >= limit) unload()
    read += text.length
    loaded ??= load()
    return loaded
  }
  return noteTextCache(Object.assign(get, { forgetTexts: unload }))
}

/** wink's types for `out` lack lemma and stem. */
function lemmaOrStem({ its }: WinkMethods, which: 'lemma' | 'stem') {
  return its[which] as unknown as typeof its.value
}

type Stem = (word: string) => string

/** The size of the cache of stems. */
const maxStems = 65_536

/** Caches stems: conversations repeat a few thousand words, and stemming costs more than tokenizing. */
function cached(stem: Stem): Stem {
  const stems = new TextMap<string>()
  return (word) => {
    const known = stems.get(word)
    if (known !== undefined) return known
    const found = stem(word)
    if (stems.size >= maxStems) stems.clear()
    stems.set(word, found)
    return found
  }
}

/** The English stem of a word in lower case (Porter 2). */
export const stemOf: Stem = (word) => stemOnce()(word)

/** Tokenizing is quadratic in a word's length, so longer words are split. */
const overlong = /\S{100}(?=\S)/g

/** The sentences of a text, each as a list of words. */
export function tag(text: string): readonly (readonly Word[])[] {
  const found: Word[][] = []
  const wink = tagger(text)
  wink
    .readDoc(text.replace(overlong, '$& '))
    .sentences()
    .each((sentence: ItemSentence) => {
      const tokens = sentence.tokens()
      const pos = tokens.out(wink.its.pos) as string[]
      const lemma = tokens.out(lemmaOrStem(wink, 'lemma')) as string[]
      const spaces = tokens.out(wink.its.precedingSpaces) as string[]
      const words = (tokens.out() as string[]).map((text, i) => ({
        ...word(text, pos[i], lemma[i]),
        isSpaced: Boolean(spaces[i]),
      }))
      found.push(words.filter((each) => each.pos !== 'SPACE').map(withoutFullStop))
    })
  return found
}

/** At the end of a sentence the tokenizer takes `38k.` for one word. */
function withoutFullStop(each: Word, i: number, { length }: { readonly length: number }): Word {
  if (i < length - 1 || !/^\d[\d,.]*\p{L}*\.$/u.test(each.text)) return each
  return { ...each, text: each.text.slice(0, -1), lower: each.lower.slice(0, -1), lemma: each.lemma.replace(/\.$/, '') }
}

export function word(text: string, pos = 'X', lemma = text.toLowerCase()): Word {
  return { text, lower: text.toLowerCase(), pos, lemma, isSpaced: true }
}

/** The words as text again. */
export function joined(words: readonly Word[]): string {
  let text = ''
  for (const each of words) text += (text !== '' && each.isSpaced ? ' ' : '') + each.text
  return text
}

/** Every token in lower case with its stem; without tags, and so twice as fast. */
export function stemmed(text: string): readonly (readonly [token: string, stem: string])[] {
  const wink = stemmer(text)
  const tokens = wink.readDoc(text.replace(overlong, '$& ')).tokens()
  const stems = tokens.out(lemmaOrStem(wink, 'stem')) as string[]
  return (tokens.out(wink.its.normal) as string[]).map((token, i) => [token, stems[i] ?? token])
}
