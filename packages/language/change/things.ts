/**
 * The things that a clause is about: nouns and names, as stems. Words of change, of time and of measure are no things, because they don't tell one
 * matter from another.
 */
import { monthNames, weekdayNames } from '../calendar.ts'
import { isStopWord } from '../stop-words.ts'
import { stemOf, tag, type Word } from '../words.ts'

/** Words of change, time, measure and talk. */
const idle = new Set(
  `from switch chang move moved went raise rais lower reduc increas decreas turn drop postpon reschedul delai cancel replac instead longer
   anymor stop sorri correct correction actual meant mean again new fix settl time thing today week month year dai day hour minut second
   morning even evening night noon weekend updat update decision decid news pound euro dollar cent quid percent degre piec people
   person lot way bit kind mind number half pleas fine thank now then note reminder mistak date btw ok yes no wait tomorrow yesterday
   today o'clock am pm mine yours ugh folk guy one i'm it's that's what's let's don't can't i've we're`.split(/\s+/),
)
const dayNames = new Set(
  [...monthNames, ...weekdayNames].flatMap((name) => [name.toLowerCase(), `${name.toLowerCase()}s`]),
)
const plainAdjective =
  /^(?:old|new|other|same|more|many|much|few|first|second|third|current|next|last|previous|whole|entire|good|nice|big|our|own|real|right|actual)$/

const functionWord = /^(?:DET|PRON|ADP|AUX|PART|PUNCT|CCONJ|SCONJ|NUM|INTJ|VERB)$/

/** The stems of the content words of a phrase. Most phrases are empty, and even an empty one takes time to tag. */
export function stemsIn(phrase: string): readonly string[] {
  if (phrase.trim() === '') return []
  return tag(phrase)
    .flat()
    .filter((each) => isContent(functionWord.test(each.pos) ? each : { ...each, pos: 'NOUN' }))
    .map(stem)
}

const noStems: ReadonlySet<string> = new Set()
const noThings: ReadonlyMap<string, never> = new Map<string, never>()

/** Read messages stay in caches, and most of their sets are empty: empty ones are shared. */
export function stemSet(stems: readonly string[]): ReadonlySet<string> {
  return stems.length === 0 ? noStems : new Set(stems)
}

function sharedIfEmpty<V>(byThing: ReadonlyMap<string, V>): ReadonlyMap<string, V> {
  return byThing.size === 0 ? noThings : byThing
}

export function stem({ lower, lemma, pos }: Word): string {
  return stemOf((pos === 'VERB' ? lemma : lower).replace(/'s?$/, ''))
}

export function thingAt(words: readonly Word[], i: number): boolean {
  const each = words[i]
  if (each === undefined || !isContent(each)) return false
  // `the open day`: the noun alone says little.
  const isNamed = each.pos === 'ADJ' && words[i + 1]?.pos === 'NOUN' && idle.has(words[i + 1]?.lower ?? '')
  return each.pos === 'NOUN' || each.pos === 'PROPN' || isNamed
}

export function isContent(each: Word): boolean {
  if (!/^(?:NOUN|PROPN|VERB|ADJ|X)$/.test(each.pos) || !/^\p{L}/u.test(each.lower) || isStopWord(each.lower))
    return false
  const own = stem(each)
  return own.length > 1 && !idle.has(own) && !idle.has(each.lower) && !dayNames.has(each.lower)
}

/** `grant deadline`, `deadline for the grant`, `Ben's birthday`: by thing, the stems of its modifiers. */
export function modifiersIn(
  words: readonly Word[],
  isThing: readonly boolean[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>()
  for (const [i, head] of words.entries()) {
    const modifiers = isThing[i] ? [...modifiersBefore(words, i), ...modifiersAfter(words, i, isThing)] : []
    if (modifiers.length > 0) found.set(stem(head), new Set([...(found.get(stem(head)) ?? []), ...modifiers.map(stem)]))
  }
  return sharedIfEmpty(found)
}

function modifiersBefore(words: readonly Word[], head: number): readonly Word[] {
  const before = words.slice(0, head).reverse()
  const end = before.findIndex(({ lower, pos }) => lower !== "'s" && !/^(?:NOUN|PROPN|ADJ)$/.test(pos))
  return before
    .slice(0, end < 0 ? undefined : end)
    .filter((each) => (isContent(each) || each.pos === 'ADJ') && !plainAdjective.test(each.lower))
}

/** The most words of a phrase after a preposition. */
const maxPhraseWords = 4

function modifiersAfter(words: readonly Word[], head: number, isThing: readonly boolean[]): readonly Word[] {
  if (!/^(?:for|of|in|at|with|on|to|about|against)$/.test(words[head + 1]?.lower ?? '')) return []
  const from = head + 2
  const after = words.slice(from, from + maxPhraseWords)
  const end = after.findIndex(({ pos }) => !/^(?:DET|PRON|NOUN|PROPN|ADJ|PART)$/.test(pos))
  return after.slice(0, end < 0 ? undefined : end).filter((_, i) => isThing[from + i])
}

/** Without the letter `I`, which is the speaker: `the car I bought`. */
const label = /^(?:\d[\d.]*|[A-HJ-Z])$/
const labelBefore =
  /^(?:\d+(?:st|nd|rd|th)|(?:19|20)\d\d|morning|afternoon|evening|night|nightly|daily|weekly|monthly|yearly|annual)$/

/** `bed 4`, `room B`, `the 2nd concert`, `the evening bus` */
export function labelsIn(words: readonly Word[], isThing: readonly boolean[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [i, head] of words.entries()) {
    const [before, after] = [words[i - 1]?.lower ?? '', words[i + 1]?.text ?? '']
    const own = label.test(after) ? after : labelBefore.test(before) ? before : undefined
    if (isThing[i] && own !== undefined) found.set(stem(head), own)
  }
  return sharedIfEmpty(found)
}

/** The owner of each thing that has one: `i` for `my desk`, `ben` for `Ben's desk`. */
export function ownersIn(words: readonly Word[], isThing: readonly boolean[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [i, head] of words.entries()) {
    if (!isThing[i] || words[i + 1]?.lower === "'s") continue
    const start = words
      .slice(0, i)
      .findLastIndex(({ pos, lower }) => lower === "'s" || !/^(?:NOUN|PROPN|ADJ)$/.test(pos))
    const [marker, owner] = [words[start]?.lower ?? '', words[start - 1]]
    if (marker === 'my') found.set(stem(head), 'i')
    else if (marker === "'s" && owner && isThing[start - 1]) found.set(stem(head), stem(owner))
  }
  return sharedIfEmpty(found)
}
