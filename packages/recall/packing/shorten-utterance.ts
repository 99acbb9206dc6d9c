/**
 * What is shown of an utterance where tokens count: without the sentences that greet, thank, praise or only ask, unless they hold a word, a
 * number or a time that the question is about, and without the interjections that it opens with. The caption of an image is left out where the
 * utterance is unlikely to be evidence, unless it holds a word of the question. Nothing is reworded, and what holds nothing else is shown whole.
 */
import { remembered } from '../text/memoize.ts'
import { stemsOf } from '../text/stems.ts'

const social = new Set(
  stemsOf(
    `thanks thank appreciate wow amazing awesome cool great nice glad happy proud sounds sound hear heard hearing love loved luck congrats
    congratulations absolutely definitely sure totally agree agreed right true inspiring inspirational inspired impressive incredible
    wonderful fantastic awesome beautiful gorgeous lovely sweet fun cute kind words support supportive keep going forward catch talk
    chat soon later bye care wait excited exciting hope hoping wish means mean believe hard best feel feeling world job done
    important hey hello hi yeah yep yes ok okay haha lol omg man dude buddy friend sorry tough understand imagine guess bet pleasure
    welcome worries problem enjoy time doing today lately new seen see ago long been things good morning evening take let work well`,
  ).counts.keys(),
)
/** Said to somebody by name, and to nobody else. */
const greeting = /^(?:hey|hi|hello|thanks|thank you|wow|congrats)\b[\s,\p{L}]{0,24}[!.,]*$/iu
const sentenceEnd = /(?<=[.!?]["')\]]?)\s+/
const timeOrNumber = /\d|\b(?:yesterday|ago|last|next|weekend|\p{L}+day|once|twice|weeks?|months?|years?)\b/iu
const letterOrNumber = /[\p{L}\p{N}]/u
const boilerplate = /\[(image|photo): (?:an? )?(?:photo(?:graph)?y?|picture|image) of /g

/** Not `no`: it may be the answer to the question before. */
const interjections =
  /^(?:(?:oh|wow|yeah|yep|yes|hey|hi|hello|well|haha|aww|cool|awesome|great|okay|ok|btw|by the way)\b(?:,? \p{Lu}\p{L}+(?=[,!.]))?[,!.-]+\s+)+/iu

/** Captions of images: all, or only those that hold a word of the question. */
export type Captions = 'all' | 'asked about'

/** @param about the stems of the question */
export function shownOf(text: string, speaker: string, about: ReadonlySet<string>, captions: Captions = 'all'): string {
  const lead = `${speaker}: `
  const { said, sentences, image } = partsOf(text.startsWith(lead) ? text.slice(lead.length) : text)
  const kept = sentences.filter(({ tells, stems }) => tells || stems.some((stem) => about.has(stem)))
  const told = kept
    .map(({ words }) => words)
    .join(' ')
    .replace(interjections, '')
  const isShown = told === '' || captions === 'all' || image.stems.some((stem) => about.has(stem))
  const shown = `${told}${isShown ? image.words.replace(boilerplate, '[$1: ') : ''}`.trim()
  return `${lead}${shown === '' ? said : shown}`
}

interface Stemmed {
  readonly words: string
  readonly stems: readonly string[]
}

interface Parts {
  readonly said: string
  /** Some tell, whatever is asked; the others where they hold a word of the question. */
  readonly sentences: readonly (Stemmed & { readonly tells: boolean })[]
  readonly image: Stemmed
}

/** The same are shown again and again: some 40 MB at most. */
const partsOf = remembered({ texts: 10_000, characters: 500 }, (said): Parts => {
  const at = said.search(/\s*\[image: /)
  const [words, rest] = at < 0 ? [said, ''] : [said.slice(0, at), said.slice(at)]
  const sentences = words.split(sentenceEnd).map(stemmed)
  return { said, sentences: sentences.map((each) => ({ ...each, tells: tells(each) })), image: stemmed(rest) }
})

function stemmed(words: string): Stemmed {
  return { words, stems: [...stemsOf(words).counts.keys()] }
}

function tells({ words, stems }: Stemmed): boolean {
  if (timeOrNumber.test(words)) return true
  if (greeting.test(words) || /\?["')]*\s*$/.test(words)) return false
  return stems.some((stem) => !social.has(stem) && letterOrNumber.test(stem))
}
