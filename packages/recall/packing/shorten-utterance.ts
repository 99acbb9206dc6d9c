/**
 * Shortens an utterance where tokens count. It drops sentences that greet, thank, praise or only ask, except those with
 * a number, a time or a word of the question; interjections at the beginning; and, for an unlikely candidate, the
 * caption of an image without a word of the question. Nothing is reworded. An utterance that would be empty stays
 * whole.
 */
import { memoize } from '../text/memoize.ts'
import { stemsOf } from '../text/stems.ts'

/** Stems of words that carry no information by themselves. */
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
/** A greeting, with the name of the person greeted. */
const greeting = /^(?:hey|hi|hello|thanks|thank you|wow|congrats)\b[\s,\p{L}]{0,24}[!.,]*$/iu
const sentenceEnd = /(?<=[.!?]["')\]]?)\s+/
const timeOrNumber = /\d|\b(?:yesterday|ago|last|next|weekend|\p{L}+day|once|twice|weeks?|months?|years?)\b/iu
const letterOrNumber = /[\p{L}\p{N}]/u
const boilerplate = /\[(image|photo): (?:an? )?(?:photo(?:graph)?y?|picture|image) of /g

/** Opening interjections, without `no`, which may be the answer to the previous question. */
const interjections =
  /^(?:(?:oh|wow|yeah|yep|yes|hey|hi|hello|well|haha|aww|cool|awesome|great|okay|ok|btw|by the way)\b(?:,? \p{Lu}\p{L}+(?=[,!.]))?[,!.-]+\s+)+/iu

/** Captions of images to show: all, or those with a word of the question. */
export type Captions = 'all' | 'matching'

export function shortenUtterance(spoken: string, queryStems: ReadonlySet<string>, captions: Captions = 'all'): string {
  const { whole, sentences, image } = partsOf(spoken)
  const isAsked = ({ stems }: WordsWithStems) => stems.some((stem) => queryStems.has(stem))
  const kept = sentences.filter((sentence) => sentence.isInformative || isAsked(sentence))
  const words = withoutInterjections(kept.map((sentence) => sentence.words).join(' '))
  const withCaption = words === '' || captions === 'all' || isAsked(image)
  const short = `${words}${withCaption ? image.words.replace(boilerplate, '[$1: ') : ''}`.trim()
  return short === '' ? whole : short
}

/** Drops the interjections at the beginning. */
export function withoutInterjections(words: string): string {
  return words.replace(interjections, '')
}

interface WordsWithStems {
  readonly words: string
  readonly stems: readonly string[]
}

interface Parts {
  readonly whole: string
  readonly sentences: readonly (WordsWithStems & { readonly isInformative: boolean })[]
  readonly image: WordsWithStems
}

/** Memoized, because the same utterances are shown often. The cache takes some 10 MB at most. */
const partsOf = memoize({ total: 1_000_000, longest: 500 }, (whole): Parts => {
  const at = whole.search(/(?<!\s)\s*\[image: /)
  const [words, rest] = at < 0 ? [whole, ''] : [whole.slice(0, at), whole.slice(at)]
  const sentences = words.split(sentenceEnd).map(withStems)
  return {
    whole,
    sentences: sentences.map((sentence) => ({ ...sentence, isInformative: isInformative(sentence) })),
    image: withStems(rest),
  }
})

function withStems(words: string): WordsWithStems {
  return { words, stems: [...stemsOf(words).counts.keys()] }
}

function isInformative({ words, stems }: WordsWithStems): boolean {
  if (timeOrNumber.test(words)) return true
  if (greeting.test(words) || /\?["')]*\s*$/.test(words)) return false
  return stems.some((stem) => !social.has(stem) && letterOrNumber.test(stem))
}
