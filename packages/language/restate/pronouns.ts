/**
 * First and second persons become names, third persons what they clearly mean, and the verbs agree with what stands there then.
 * The first pronoun that has no clear meaning is reported by its place: the caller cuts the clause before it, or drops it.
 */
import { type Word, word } from '../words.ts'
import { isBasePresent, thirdPerson } from './agreement.ts'
import type { Antecedents } from './antecedents.ts'
import { nounPhrases } from './noun-phrases.ts'
import { isAdverb } from './verbs.ts'

export interface Roles {
  readonly speaker: string
  readonly addressee: string | null
  /** Whom `we` means: the speaker, or the speaker and others; null: not clear. */
  readonly we: readonly string[] | null
  readonly antecedents: Antecedents
}

export type Rewritten =
  | { readonly words: readonly Word[]; readonly stuckAt: null }
  | { readonly words: null; readonly stuckAt: number }

export function withoutPronouns(words: readonly Word[], roles: Roles): Rewritten {
  const agreeing = agreeingVerbs(words, roles)
  const past = words.some((each) => (each.time && each.lower !== '') || /^(?:was|were|had|did|went|got)$/.test(each.lower))
  const done: Word[] = []
  for (const [i, each] of words.entries()) {
    const verb = written(each, words, i)
    if (agreeing.has(i)) {
      done.push(thirdPerson(verb, past ? 'past' : 'open'))
      continue
    }
    const replaced = replacement(words, i, roles, done)
    if (replaced === null) return { words: null, stuckAt: i }
    done.push(...(replaced === 'as it is' ? [verb] : replaced))
  }
  return { words: done, stuckAt: null }
}

/** Contractions in full: 'll → will, 'd → had or would, 's after a pronoun → is or has. */
function written(each: Word, words: readonly Word[], i: number): Word {
  const full = (text: string): Word => ({ ...word(text, each.pos, each.lemma) })
  let next = i + 1
  while (isAdverb(words[next])) next++
  const after = words[next]
  if (each.pos !== 'AUX') return each
  if (each.lower === "'ll") return full('will')
  if (each.lower === "'ve") return full('have')
  if (each.lower === "'re") return full('are')
  if (each.lower === "'m") return full('am')
  if (each.lower === "'d") return full(after && (after.lower === 'been' || (after.pos === 'VERB' && after.lower !== after.lemma)) ? 'had' : 'would')
  if (each.lower === "'s") return full(after && /^(?:been|got|had|become|gone|taken)$/.test(after.lower) ? 'has' : 'is')
  return each
}

/** The verbs that agreed with I, we or you, and now stand beside one name. */
function agreeingVerbs(words: readonly Word[], roles: Roles): ReadonlySet<number> {
  const found = new Set<number>()
  for (const [i, each] of words.entries()) {
    const single = each.lower === 'i' || each.lower === 'you' || (each.lower === 'we' && roles.we?.length === 1)
    if (!single || words[i - 1]?.lower === 'and') continue
    let at = i + 1
    while (isAdverb(words[at]) || words[at]?.lower === 'all' || words[at]?.lower === 'both') at++
    const verb = words[at]
    if (verb?.pos !== 'AUX' && verb?.pos !== 'VERB') continue
    found.add(at)
    if (verb.pos === 'VERB' && isBasePresent(verb)) for (const more of joinedVerbs(words, at)) found.add(more)
  }
  return found
}

/** `love it and play it`: base forms right after `and`, up to the next subject. */
function joinedVerbs(words: readonly Word[], from: number): readonly number[] {
  const found: number[] = []
  for (let i = from + 1; i < words.length - 1; i++) {
    if (/^(?:to|i|we|you|they|who|that|which)$/.test(words[i]?.lower ?? '')) break
    const next = words[i + 1]
    if (words[i]?.pos === 'CCONJ' && next?.pos === 'VERB' && isBasePresent(next)) found.push(i + 1)
  }
  return found
}

function replacement(words: readonly Word[], i: number, roles: Roles, done: readonly Word[]): readonly Word[] | null | 'as it is' {
  const each = words[i]
  const next = words[i + 1]
  switch (each?.lower) {
    case 'i':
    case 'me':
    case 'myself':
      return named([roles.speaker])
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
    case 'he':
    case 'him':
    case 'she':
    case 'they':
    case 'them':
    case 'it':
      return roles.antecedents.find(each.lower, nounPhrases(done))
    case 'her':
    case 'his':
    case 'their':
    case 'its':
    case 'hers':
    case 'theirs': {
      const owner = roles.antecedents.find(each.lower, nounPhrases(done))
      const owns = /^(?:NOUN|ADJ|PROPN|NUM|VERB)$/.test(next?.pos ?? '')
      return owner === null ? null : each.lower === 'her' && !owns ? owner : genitive(owner)
    }
    default:
      return 'as it is'
  }
}

/** `When you dance`: you as anyone at all. The addressee is meant where the verb is past, or where `you` is no subject. */
function generic(words: readonly Word[], i: number): boolean {
  let at = i + 1
  while (isAdverb(words[at])) at++
  const verb = words[at]
  if (verb?.pos !== 'AUX' && verb?.pos !== 'VERB') return false
  return isBasePresent(verb) || !/^(?:was|were|had|did|.*ed|gave|told|made|sent|said)$/.test(verb.lower)
}

function demonstrative(words: readonly Word[], i: number): readonly Word[] | null | 'as it is' {
  const each = words[i]
  const before = words[i - 1]
  if (each?.lower === 'that') {
    if (each.pos === 'SCONJ') return 'as it is'
    if (each.pos === 'PRON' && before && /^(?:NOUN|PROPN|PRON|NUM)$/.test(before.pos) && words[i + 1]) return 'as it is'
  }
  let at = i + 1
  while (words[at]?.pos === 'ADJ' || words[at]?.pos === 'NUM' || words[at]?.pos === 'ADV') at++
  const noun = words[at]?.pos === 'NOUN' || words[at]?.pos === 'PROPN'
  return noun ? [word('the', 'DET')] : null
}

function named(people: readonly string[]): readonly Word[] {
  return people.flatMap((person, i) => (i === 0 ? [word(person, 'PROPN')] : [word('and', 'CCONJ'), word(person, 'PROPN')]))
}

function possessive(people: readonly string[]): readonly Word[] {
  return genitive(named(people))
}

function genitive(owner: readonly Word[]): readonly Word[] {
  const plural = /[^s]s$/.test(owner.at(-1)?.text ?? '') && owner.at(-1)?.pos === 'NOUN'
  return [...owner, { ...word(plural ? "'" : "'s", 'PART'), spaced: 'no' as const }]
}
