/** The replacement of a pronoun: a name, its clear antecedent, no words, or null if it is unclear. */
import { firstNameGender } from '../first-names.ts'
import { type Word, word } from '../words.ts'
import { isBasePresent } from './agreement.ts'
import { demonstrativeReplacement, type PronounReplacement } from './demonstratives.ts'
import { type NounPhrase, nounPhrases } from './noun-phrases.ts'
import type { Roles } from './roles.ts'
import { finiteVerb, groupEnd, isAdverb, isFiniteVerb, isIng } from './verbs.ts'

/** @param done the clause before the pronoun, already without pronouns */
export function pronounReplacement(
  words: readonly Word[],
  i: number,
  roles: Roles,
  done: readonly Word[],
): PronounReplacement {
  const pronoun = words[i]?.lower ?? ''
  // `me-time` is no person.
  if (words[i + 1]?.text === '-' && words[i + 1]?.isSpaced === false) return 'as it is'
  const own = speakers(pronoun, roles)
  if (own !== 'as it is') return own
  switch (pronoun) {
    case 'mom':
    case 'dad':
    case 'mum':
    case 'grandma':
    case 'grandpa':
      return ownKin(words, i) ? [...possessive([roles.speaker]), word(pronoun, 'NOUN')] : 'as it is'
    case 'you':
      return generic(words, i) ? null : roles.addressee === null ? null : named([roles.addressee])
    case 'this':
    case 'these':
    case 'those':
    case 'that':
      return demonstrativeReplacement(words, i)
    case 'there':
    case 'here':
      return leftOut(words, i) ? [] : null
    case 'it':
      // As an object, or before another verb, it means too many things.
      return i === 0 && /^(?:is|'s|was)$/.test(words[1]?.lower ?? '') ? roles.antecedents.find('it', []) : null
    case 'they':
    case 'them':
    case 'their':
    case 'theirs':
    case 'its':
      return null
    case 'he':
    case 'him':
    case 'she':
      return roles.antecedents.find(pronoun, before(words, i, done))
    case 'her':
    case 'his':
    case 'hers':
      return owned(words, i, roles, done)
    default:
      return 'as it is'
  }
}

/** `I met her there.` is true without the place; `it was over there` isn't. */
function leftOut(words: readonly Word[], i: number): boolean {
  const next = words[i + 1]
  if (words[i]?.lower === 'here') return (next?.pos ?? 'PUNCT') === 'PUNCT'
  // `Books that take me there` go nowhere without it.
  if (words.slice(Math.max(0, i - 3), i).some((each) => /^(?:take|bring|lead|send|get|put|be)$/.test(each.lemma)))
    return false
  return words[i - 1]?.pos !== 'ADP' && /^(?:[,.!]|and|with|for|to|when|because|in|on|as)?$/.test(next?.lower ?? '')
}

/** Pronouns of the speaker and of the addressee. */
function speakers(pronoun: string, roles: Roles): PronounReplacement {
  switch (pronoun) {
    case 'i':
    case 'me':
      return named([roles.speaker])
    case 'myself':
      return reflexive(roles.speaker)
    case 'my':
    case 'mine':
      return possessive([roles.speaker])
    case 'we':
    case 'us':
    case 'ourselves':
      return roles.we && named(roles.we)
    case 'our':
    case 'ours':
      return roles.we && possessive(roles.we)
    case 'your':
    case 'yours':
      return roles.addressee === null ? null : possessive([roles.addressee])
    case 'yourself':
    case 'yourselves':
      return null
    default:
      return 'as it is'
  }
}

/** `her dog`, `met her`, `named her Tilly`. */
function owned(words: readonly Word[], i: number, roles: Roles, done: readonly Word[]): PronounReplacement {
  const pronoun = words[i]?.lower ?? ''
  if (pronoun === 'her' && !owns(words, i)) return roles.antecedents.find(pronoun, before(words, i, done))
  const owner = roles.antecedents.find(pronoun, nounPhrases(done))
  return owner && genitive(owner)
}

function owns(words: readonly Word[], her: number): boolean {
  const next = words[her + 1]
  const naming = /^(?:name|call)$/.test(words[her - 1]?.lemma ?? '') && next?.pos === 'PROPN'
  return !naming && (/^(?:NOUN|ADJ|PROPN|NUM)$/.test(next?.pos ?? '') || isIng(next))
}

/**
 * The phrases before the pronoun in the clause that it may mean. Not the pictures in `pictures of them`, nor the town
 * in `our town deserves it` (that would be `itself`), nor the skills in `I share my skills with them`.
 */
function before(words: readonly Word[], i: number, done: readonly Word[]): readonly NounPhrase[] {
  const phrases = nounPhrases(done)
  const verb = finiteVerb(done, 0)
  const acts = verb >= 0 && !done.some((_, at) => at >= groupEnd(done, verb) && isFiniteVerb(done, at))
  const isFree = ({ start, words: { length } }: NounPhrase) =>
    start > verb && done.slice(start + length).some((each) => each.pos === 'VERB')
  const others = acts ? phrases.filter(isFree) : phrases
  return words[i - 1]?.lower === 'of' ? others.slice(0, -1) : others
}

/** `When you dance`: a generic `you`. It means the addressee if the verb is past, or if `you` is no subject. */
function generic(words: readonly Word[], i: number): boolean {
  let at = i + 1
  while (isAdverb(words[at])) at++
  const verb = words[at]
  if (verb?.pos !== 'AUX' && verb?.pos !== 'VERB') return false
  return isBasePresent(verb) || !/^(?:was|were|had|did|.*ed|gave|told|made|sent|said)$/.test(verb.lower)
}

/** `Mom called` means the speaker's mother; `his mom`, `the mom` and `Mom Lee` don't. */
function ownKin(words: readonly Word[], i: number): boolean {
  const before = words[i - 1]
  return (
    !(before && /^(?:DET|ADJ|NOUN|PROPN|NUM)$/.test(before.pos)) &&
    !/^(?:my|our|your|his|her|their|'s|'|single|new)$/.test(before?.lower ?? '') &&
    words[i + 1]?.pos !== 'PROPN'
  )
}

/** `herself` if the first name has a gender; else the name again. */
function reflexive(speaker: string): readonly Word[] {
  const gender = firstNameGender(speaker.split(' ')[0] ?? speaker)
  return [
    gender === 'female'
      ? word('herself', 'PRON')
      : gender === 'male'
        ? word('himself', 'PRON')
        : word(speaker, 'PROPN'),
  ]
}

function named(people: readonly string[]): readonly Word[] {
  return people.flatMap((person, i) =>
    i === 0 ? [word(person, 'PROPN')] : [word('and', 'CCONJ'), word(person, 'PROPN')],
  )
}

function possessive(people: readonly string[]): readonly Word[] {
  return genitive(named(people))
}

function genitive(owner: readonly Word[]): readonly Word[] {
  const plural = /[^s]s$/.test(owner.at(-1)?.text ?? '') && owner.at(-1)?.pos === 'NOUN'
  return [...owner, { ...word(plural ? "'" : "'s", 'PART'), isSpaced: false }]
}
