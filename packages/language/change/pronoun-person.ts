/**
 * The person whom a pronoun before a verb of ending means: `Lena called, she has quit Siemens`. Only if the message
 * names one person before it who can be meant. A person without a name, such as `her sister`, counts too.
 */
import { firstNameGender, type Gender } from '../first-names.ts'
import { isNamePart } from '../names.ts'
import { type NounPhrase, nounPhrases } from '../restate/noun-phrases.ts'
import { tag } from '../words.ts'

const ending =
  /(?<=^|[,;:–—-] ?|\b(?:and|but|so|because|since|that|says|said|(?:told|tells) me) )(?<pronoun>she|he)\b(?<verb>['’]s| has| had| is)?(?= (?:(?:just|now|already|finally|also) )*(?<end>quit|left|resigned|retired|stopped|gave up|given up|no longer|(?:doesn['’]t|does not|isn['’]t|is not|not) [^,.;]*? any ?more)\b)/i

/** Longer messages tell of several people. */
const maxBeforeChars = 1_000
/** Nouns of persons: `manager`, `dentist`, `nurse`. Some are none, such as `letter`: then no person is meant for sure. */
const agent = /(?:er|or|ist|ian|man|woman|lady|ant|ent|nurse|chef|clerk|guide|intern|boss|aide)$/

/**
 * The sentence with the name of the person in place of the pronoun; without the clause of the pronoun if several people
 * can be meant.
 * @param before the message up to the sentence
 */
export function withPersonForPronoun(sentence: string, before: string): string {
  const found = ending.exec(sentence)
  const start = sentence.slice(0, found?.index)
  if (found === null || before.length + start.length > maxBeforeChars) return sentence
  const { pronoun = '', verb = '', end = '' } = found.groups ?? {}
  const [person, ...others] = peopleIn(`${before} ${start}`, /^s/i.test(pronoun) ? 'female' : 'male')
  if (others.length > 0) return start
  if (!person?.isNamed) return sentence
  const isOrHas = /^n/i.test(end) ? ' is' : ' has'
  return `${start}${person.name}${/^.s/.test(verb) ? isOrHas : verb}${sentence.slice(start.length + found[0].length)}`
}

interface Person {
  readonly name: string
  readonly isNamed: boolean
}

/** The people in the text who can be of the gender, each once. */
function peopleIn(text: string, gender: Gender): readonly Person[] {
  const words = tag(text).flat()
  const people = nounPhrases(words).flatMap((phrase) => [
    ...unnamedIn(phrase, gender),
    ...(/^(?:in|at)$/.test(words[phrase.start - 1]?.lower ?? '') ? [] : namedIn(phrase, gender)),
  ])
  return [...new Map(people.map((each) => [each.name, each])).values()]
}

function unnamedIn({ words, is, gender: own }: NounPhrase, gender: Gender): readonly Person[] {
  const head = words.at(-1)
  const isPerson = is === 'person' ? canBe(own, gender) : agent.test(head?.lower ?? '')
  return head?.pos === 'NOUN' && isPerson ? [{ name: words.map(({ lower }) => lower).join(' '), isNamed: false }] : []
}

function namedIn({ words }: NounPhrase, gender: Gender): readonly Person[] {
  const first = words.findIndex(isNamePart)
  const end = words.findIndex((each, at) => at > first && !isNamePart(each))
  const name = first < 0 ? [] : words.slice(first, end < 0 ? undefined : end).map(({ text }) => text)
  return name[0] !== undefined && canBe(firstNameGender(name[0]), gender)
    ? [{ name: name.join(' '), isNamed: true }]
    : []
}

/** A name in no list can be of any gender. */
function canBe(own: Gender | null, gender: Gender): boolean {
  return own === null || own === 'unknown' || own === gender
}
