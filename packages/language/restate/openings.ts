/**
 * Removes openings that are no part of a statement: greetings, interjections, called names, linking words, and a time
 * up front. The time is returned, so that it can go to the end.
 */
import type { Word } from '../words.ts'

/** Openings before a comma, a name or the end of the sentence. `Nice people came` keeps its first word. */
const interjections = new Set(
  `hey hi hello wow yeah yep yup yes no nope oh ah aw aww awww hmm well man dude omg woah whoa ok okay sure cool awesome great nice
  exactly right true indeed agreed thanks congrats absolutely definitely totally honestly actually anyway anyways also plus
  so and but or then besides still moreover however though fortunately unfortunately luckily sadly hopefully guess btw too
  finally otherwise meanwhile instead overall sometimes apparently ugh yay woohoo haha lol sorry please alright yo wait sweet perfect`.split(
    /\s+/,
  ),
)
const phrases = [
  'by the way',
  'of course',
  'in fact',
  'for sure',
  'to be honest',
  'on top of that',
  'that said',
  'as well',
  'at first',
  'you know',
  'thank you',
  'no worries',
  'no problem',
  'same here',
  'me too',
  'other than that',
  'apart from that',
  'as always',
  'for instance',
  'for example',
  'in the end',
  'at the same time',
  'guess what',
  'on another note',
  'on a different note',
  'as for me',
  'as for us',
  'for me',
  'in my case',
  'in my opinion',
  'on the bright side',
  'to be fair',
  'good news',
  'not gonna lie',
  'like i said',
  'after that',
  'since then',
  'before that',
  'in that case',
].map((phrase) => phrase.split(' '))

/** Openings that need no comma after them. */
const alwaysLinks = new Set([
  'so',
  'and',
  'but',
  'also',
  'plus',
  'then',
  'or',
  'finally',
  'anyway',
  'hopefully',
  'sometimes',
  'well',
  'though',
  'still',
  'yeah',
  'yep',
  'yes',
  'oh',
  'wow',
  'hey',
  'hi',
  'hello',
  'meanwhile',
  'omg',
  'haha',
  'lol',
  'ugh',
])

interface SentenceBody {
  readonly words: readonly Word[]
  /** `on 7 May 2023`, if the sentence began with it. */
  readonly upFront: readonly Word[]
}

export function withoutOpening(sentence: readonly Word[], participants: readonly string[]): SentenceBody {
  let words = sentence
  let upFront: readonly Word[] = []
  for (let before = -1; before !== words.length; ) {
    before = words.length
    words = words.slice(openingLength(words, participants))
    const timed = timeLength(words)
    if (timed > 0 && upFront.length === 0) {
      upFront = words.slice(0, timed)
      words = words.slice(words[timed]?.text === ',' ? timed + 1 : timed)
    }
  }
  return { words: withoutCalls(words, participants), upFront }
}

function openingLength(words: readonly Word[], participants: readonly string[]): number {
  const [first, second] = words
  if (!first) return 0
  if (first.pos === 'PUNCT' && first.text !== '"') return 1
  const stops = second === undefined || second.pos === 'PUNCT'
  if (alwaysLinks.has(first.lower)) return 1
  if (
    stops &&
    second?.text !== '"' &&
    (interjections.has(first.lower) || first.pos === 'INTJ' || participants.includes(first.text))
  )
    return 2
  const calls = words[2] === undefined || words[2].pos === 'PUNCT'
  if (interjections.has(first.lower) && second?.pos === 'PROPN' && calls) return 3
  if (interjections.has(first.lower) && participants.includes(second?.text ?? '')) return 1
  for (const phrase of phrases) {
    if (phrase.every((part, i) => words[i]?.lower === part)) return phrase.length
  }
  return 0
}

function timeLength(words: readonly Word[]): number {
  if (words[0]?.time) return words[1]?.pos === 'AUX' ? 0 : 1
  return words[0]?.pos === 'ADP' && words[1]?.time ? 2 : 0
}

/** Removes `, Maria` and `, too` from the middle and the end. */
function withoutCalls(words: readonly Word[], participants: readonly string[]): readonly Word[] {
  const isCall = (at: number) => {
    if (!ends(words[at + 1])) return false
    const name = participants.includes(words[at]?.text ?? '')
    if (words[at - 1]?.text === ',')
      return name || /^(?:too|though|then|right|man|dude|lol|also)$/.test(words[at]?.lower ?? '')
    // Without a comma, a name right after a noun is a call: `I love the thought Ann!`
    return name && words[at + 1]?.text !== ',' && words[at - 1]?.pos === 'NOUN'
  }
  return words.filter((each, i) => !isCall(i) && !(each.text === ',' && isCall(i + 1)))
}

function ends(each: Word | undefined): boolean {
  return each === undefined || /^[.,!?;]$/.test(each.text)
}
