/** What each pronoun becomes: a name, the phrase that it clearly means, nothing at all, or null where that isn't clear. */
import { firstNameGender } from '../first-names.ts'
import { type Word, word } from '../words.ts'
import { isBasePresent } from './agreement.ts'
import { type NounPhrase, nounPhrases } from './noun-phrases.ts'
import type { Roles } from './roles.ts'
import { isAdverb, isIng } from './verbs.ts'

/** What stands in a pronoun's place; null: its meaning isn't clear. */
export function replacement(
  words: readonly Word[],
  i: number,
  roles: Roles,
  done: readonly Word[],
): readonly Word[] | null | 'as it is' {
  const each = words[i]
  const next = words[i + 1]
  switch (each?.lower) {
    case 'i':
    case 'me':
      return named([roles.speaker])
    case 'myself':
      return reflexive(roles.speaker)
    case 'mom':
    case 'dad':
    case 'mum':
    case 'grandma':
    case 'grandpa':
      return ownKin(words, i) ? [...possessive([roles.speaker]), { ...word(each.lower, 'NOUN') }] : 'as it is'
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
    case 'you':
      return roles.addressee === null || generic(words, i) ? null : named([roles.addressee])
    case 'your':
    case 'yours':
      return roles.addressee === null ? null : possessive([roles.addressee])
    case 'yourself':
    case 'yourselves':
      return null
    case 'this':
    case 'these':
    case 'those':
    case 'that':
      return demonstrative(words, i)
    case 'there':
      return next === undefined || /^(?:[,.!]|and|with|for|to|when|because|in|on|as)$/.test(next.lower) ? [] : null
    case 'here':
      return next === undefined || next.pos === 'PUNCT' ? [] : null
    case 'it':
      if (isIdiom(words, i) || within(words, i, done)) return null
      return roles.antecedents.find('it', before(words, i, done))
    case 'he':
    case 'him':
    case 'she':
    case 'they':
    case 'them':
      return roles.antecedents.find(each.lower, before(words, i, done))
    case 'her':
    case 'his':
    case 'their':
    case 'its':
    case 'hers':
    case 'theirs': {
      const owner = roles.antecedents.find(each.lower, nounPhrases(done))
      const named = /^(?:name|call)$/.test(words[i - 1]?.lemma ?? '') && next?.pos === 'PROPN'
      const owns = !named && (/^(?:NOUN|ADJ|PROPN|NUM)$/.test(next?.pos ?? '') || isIng(next))
      return owner === null ? null : each.lower === 'her' && !owns ? owner : genitive(owner)
    }
    default:
      return 'as it is'
  }
}

/** `make it work`, `hit it off`, `worth it`: it means nothing there; after `that` or `when` it means too much. */
function isIdiom(words: readonly Word[], i: number): boolean {
  const previous = words[i - 1]
  return (
    previous?.lemma === 'make' ||
    words[i + 1]?.lower === 'off' ||
    /^(?:worth|that|when|though|because)$/.test(previous?.lower ?? '')
  )
}

/** `a cake with berries on it`: said again, the cake would stand on itself. */
function within(words: readonly Word[], i: number, done: readonly Word[]): boolean {
  return (
    words[i - 1]?.pos === 'ADP' && nounPhrases(done).some((phrase) => phrase.is === 'thing' && phrase.number === 'one')
  )
}

/** The phrases of the clause so far; in `pictures of them` the pictures are not what is meant. */
function before(words: readonly Word[], i: number, done: readonly Word[]): readonly NounPhrase[] {
  const phrases = nounPhrases(done)
  return words[i - 1]?.lower === 'of' ? phrases.slice(0, -1) : phrases
}

/** `When you dance`: you as anyone at all. The addressee is meant where the verb is past, or where `you` is no subject. */
function generic(words: readonly Word[], i: number): boolean {
  let at = i + 1
  while (isAdverb(words[at])) at++
  const verb = words[at]
  if (verb?.pos !== 'AUX' && verb?.pos !== 'VERB') return false
  return isBasePresent(verb) || !/^(?:was|were|had|did|.*ed|gave|told|made|sent|said)$/.test(verb.lower)
}

/** `Mom called` is about the speaker's; `his mom`, `the mom` and `Mom Lee` are not. */
function ownKin(words: readonly Word[], i: number): boolean {
  const before = words[i - 1]
  return (
    !(before && /^(?:DET|ADJ|NOUN|PROPN|NUM)$/.test(before.pos)) &&
    !/^(?:my|our|your|his|her|their|'s|'|single|new)$/.test(before?.lower ?? '') &&
    words[i + 1]?.pos !== 'PROPN'
  )
}

function demonstrative(words: readonly Word[], i: number): readonly Word[] | null | 'as it is' {
  const each = words[i]
  const before = words[i - 1]
  if (each?.lower === 'that') {
    const after = words[i + 2]?.pos ?? 'PUNCT'
    const pointing =
      words[i + 1]?.pos === 'NOUN' && before?.pos === 'VERB' && !/^(?:AUX|VERB|NOUN|PROPN|ADV)$/.test(after)
    if (each.pos === 'SCONJ' && !pointing) return 'as it is'
    if (before && /^(?:NOUN|PROPN|PRON|NUM)$/.test(before.pos) && words[i + 1]) return 'as it is'
  }
  let at = i + 1
  while (words[at]?.pos === 'ADJ' || words[at]?.pos === 'NUM' || words[at]?.pos === 'ADV') at++
  const noun = words[at]?.pos === 'NOUN' || words[at]?.pos === 'PROPN'
  if (!noun) return null
  const introduced = each?.lower === 'this' && before?.pos === 'VERB'
  return [word(introduced ? (/^[aeiou]/.test(words[i + 1]?.lower ?? '') ? 'an' : 'a') : 'the', 'DET')]
}

/** `herself` where the name tells; else the name once more. */
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
  return [...owner, { ...word(plural ? "'" : "'s", 'PART'), spaced: 'no' as const }]
}
