/** The noun phrases of a clause, sorted into persons and things: the antecedents of a later `she`, `they` or `it`. */
import { firstNameGender, type Gender } from '../first-names.ts'
import { type Word, word } from '../words.ts'
import { isIng } from './verbs.ts'

export interface NounPhrase {
  readonly words: readonly Word[]
  readonly is: 'person' | 'thing'
  readonly number: 'one' | 'many'
  readonly gender: Gender
  readonly start: number
  /** The word before. After `and` the phrase is part of a larger one; a name after a preposition is likely a place. */
  readonly after: 'and' | 'preposition' | 'other'
}

const she = new Set(
  'mom mum mother sister daughter wife girlfriend aunt grandma grandmother niece woman girl lady'.split(' '),
)
const he = new Set('dad father brother son husband boyfriend uncle grandpa grandfather nephew man boy guy'.split(' '))
const either = new Set(
  `friend partner kid child cousin colleague coworker neighbor boss teacher coach roommate baby person parent doctor therapist
  mentor student family team group people folk guest player member spouse dog cat puppy kitten pet kitty pup`.split(
    /\s+/,
  ),
)
const empty = new Set(
  `thing lot bit way time day week month year night weekend morning evening moment fun one kind sort couple something anything
  everything nothing world part everyone everybody someone anyone reason point case end sense while front top side`.split(
    /\s+/,
  ),
)
const collective = new Set(['family', 'people', 'folk'])

export function nounPhrases(words: readonly Word[]): readonly NounPhrase[] {
  const found: NounPhrase[] = []
  for (let i = 0; i < words.length; i++) {
    const title = quotedUntil(words, i)
    let end = title
    while (
      isPart(words[end]) &&
      !(end > i && breaks(words, end)) &&
      (end === i || !opens(words[end]) || words[end - 1]?.text === '"')
    )
      end++
    let last = end
    while (last > title && !isHead(words[last - 1])) last--
    if (last > i) found.push(...classified(words.slice(i, last), i, before(words[i - 1])))
    i = Math.max(i, end - 1)
  }
  return found
}

/** The end of a quoted title, which is one phrase; without quotes: `from`. */
function quotedUntil(words: readonly Word[], from: number): number {
  if (words[from]?.text !== '"') return from
  const inside = words.slice(from + 1, from + 12).findIndex((each) => each.text === '"')
  return inside > 0 ? from + inside + 2 : from
}

function isPart(each: Word | undefined): boolean {
  if (!each || each.time) return false
  return (
    /^(?:DET|NUM|ADJ|NOUN|PROPN)$/.test(each.pos) ||
    /^(?:my|our|his|her|their|'|-)$/.test(each.lower) ||
    (each.lower === "'s" && each.pos === 'PART') ||
    each.text === '"'
  )
}

function before(each: Word | undefined): NounPhrase['after'] {
  if (each?.lower === 'and') return 'and'
  return each?.pos === 'ADP' ? 'preposition' : 'other'
}

/** `The funniest thing Oliver did`: a person's name after a noun, except kinship, begins another phrase. */
function breaks(words: readonly Word[], at: number): boolean {
  const [noun, name] = [words[at - 1], words[at]]
  if (noun?.pos !== 'NOUN' || name?.pos !== 'PROPN' || firstNameGender(name.text) === null) return false
  return !she.has(noun.lemma) && !he.has(noun.lemma) && !either.has(noun.lemma)
}

function opens(each: Word | undefined): boolean {
  return each?.pos === 'DET' || /^(?:my|our|his|her|their)$/.test(each?.lower ?? '')
}

function isHead(each: Word | undefined): boolean {
  return each !== undefined && (each.pos === 'NOUN' || each.pos === 'PROPN')
}

function classified(words: readonly Word[], start: number, after: NounPhrase['after']): readonly NounPhrase[] {
  const head = words.findLast((each) => each.text !== '"') ?? word('')
  if (empty.has(head.lemma) || (head.pos === 'NOUN' && isIng(head))) return []
  const proper = words.find((each) => each.pos === 'PROPN')?.text ?? ''
  const named = head.pos === 'PROPN' ? firstNameGender(proper) : null
  // In `my sister Anna` the kinship says more than the name.
  const kinship = (head.pos === 'PROPN' ? words.findLast((each) => each.pos === 'NOUN') : head)?.lemma ?? ''
  const gender: Gender = she.has(kinship) ? 'female' : he.has(kinship) ? 'male' : (named ?? 'unknown')
  const person = named !== null || she.has(kinship) || he.has(kinship) || either.has(kinship)
  return [{ words, is: person ? 'person' : 'thing', number: isPlural(head) ? 'many' : 'one', gender, start, after }]
}

function isPlural(head: Word): boolean {
  if (collective.has(head.lemma) || /^(?:children|kids|people|men|women)$/.test(head.lower)) return true
  return head.pos === 'NOUN' && head.lower !== head.lemma && head.lower.endsWith('s')
}

/** The spelling of the word inside a sentence. */
function inside(each: Word): string {
  return each.pos === 'PROPN' || /\p{Lu}.*\p{Lu}/u.test(each.text) ? each.text : each.lower
}

/** The phrase in its second mention: a dog → the dog; Ann's dog, Paris, her dog's name stay. */
export function withDefiniteArticle(words: readonly Word[]): readonly Word[] {
  if (words[0]?.text === '"') return words.map((each, i) => (i === 0 ? { ...each, isSpaced: true } : each))
  const plain = words
    .filter((each) => each.text !== '"')
    .map((each, i) => (i === 0 ? { ...each, isSpaced: true } : each))
  const [first] = plain
  if (!first) return []
  if (first.pos === 'PROPN' || plain.some((each) => each.lower === "'s")) return plain
  const rest =
    first.pos === 'DET' || /^(?:many|several|few|some|more|other|most)$/.test(first.lower) ? plain.slice(1) : plain
  return [
    word('the', 'DET'),
    ...rest.map((each, i) => (i === 0 ? { ...each, text: inside(each), isSpaced: true } : each)),
  ]
}
