/** The relation, the object, the place, the names and the keywords of an English sentence whose subject is known. */
import { namesIn } from './names.ts'
import { describe } from './restate/describe.ts'
import { finiteVerb, groupEnd, withRepairedTags } from './restate/verbs.ts'
import { keywordsIn } from './terms.ts'
import { tag } from './words.ts'

export interface SentenceParts {
  /** The verb phrase, else the first word; empty in a script without spaces. */
  readonly relation: string
  readonly object: string
  readonly location: string | null
  readonly persons: readonly string[]
  readonly entities: readonly string[]
  readonly keywords: readonly string[]
}

const mostKeywords = 3
/** In a longer verb phrase the tagger has missed the first verb. */
const mostRelationWords = 6

/**
 * @param subject the beginning of the sentence
 * @param rest the rest of it
 * @param known names of persons
 */
export function sentenceParts(subject: string, rest: string, known: readonly string[]): SentenceParts {
  const said = straight(rest)
  const words = withRepairedTags(tag(`${straight(subject)} ${said}`).flat())
  const named = sorted(namesIn(words, known), said)
  const keywords = keywordsIn(words, mostKeywords)
  const verb = finiteVerb(words, tag(straight(subject)).flat().length)
  const [first = ''] = /^\p{Ll}+(?= )/u.exec(said) ?? []
  const unparsed = { relation: first, object: rest.slice(first.length).trim(), location: null, ...named, keywords }
  if (verb < 0) return unparsed
  const { object, location } = describe(words, { verb, end: groupEnd(words, verb) }, 0)
  // Words before the verb belong to it: in `no longer works` they are its meaning.
  const relation = said.slice(0, Math.max(0, said.lastIndexOf(object))).trim()
  if (relation.split(' ').length > mostRelationWords) return unparsed
  return { relation, object, location: isPlace(location, said, named.persons) ? location : null, ...named, keywords }
}

const titled = /^(?:mr|mrs|ms|miss|dr|prof)\b/i

/** Names with a title, and of somebody who says the sentence, are persons; weekdays are no names. */
function sorted({ persons, entities }: ReturnType<typeof namesIn>, said: string) {
  const isPerson = (name: string) => titled.test(name) || said.endsWith(`says ${name}`)
  return {
    persons: [...new Set([...persons, ...entities.filter(isPerson)])],
    entities: entities.filter((name) => !isPerson(name) && !weekdays.test(name)),
  }
}

const weekdays = /^(?:mon|tues|wednes|thurs|fri|satur|sun)days$/i
const motion = /\b(?:mov|go|went|travel|sail|fl(?:y|ies|ew)|dr[io]v|walk|cycl|return|c[ao]me|relocat|transfer|commut)/i

/** `Married to Eve` and `changed to decaf` name no place: only a movement has a place behind `to`. */
function isPlace(location: string | null, said: string, persons: readonly string[]): boolean {
  if (location === null || persons.includes(location)) return false
  return !said.includes(`to ${location}`) || motion.test(said)
}

function straight(text: string): string {
  return text.replaceAll('’', "'")
}
