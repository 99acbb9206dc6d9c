/**
 * Replaces pronouns: first and second persons become names, third persons their clear antecedents, and the verbs agree
 * with them. The index of the first unclear pronoun is reported: the caller cuts the clause before it, or drops it.
 */
import type { Word } from '../words.ts'
import { isBasePresent, thirdPerson } from './agreement.ts'
import { expandContraction } from './contractions.ts'
import { pronounReplacement } from './replacements.ts'
import type { Roles } from './roles.ts'
import { finiteVerb, isAdverb } from './verbs.ts'

type Rewritten =
  | { readonly words: readonly Word[]; readonly stuckAt: null }
  | { readonly words: null; readonly stuckAt: number }

export function withoutPronouns(words: readonly Word[], roles: Roles): Rewritten {
  const agreeing = agreeingVerbs(words, roles)
  const past = words.some(
    (each) => (each.time && each.lower !== '') || /^(?:was|were|had|did|went|got)$/.test(each.lower),
  )
  const done: Word[] = []
  for (const [i, each] of words.entries()) {
    const verb = expandContraction(each, words, i)
    if (agreeing.has(i)) {
      done.push(thirdPerson(verb, past ? 'past' : 'open'))
      continue
    }
    const replaced = pronounReplacement(words, i, roles, done)
    if (replaced === null) return { words: null, stuckAt: i }
    done.push(...(replaced === 'as it is' ? [verb] : replaced))
  }
  return { words: done, stuckAt: null }
}

/** The verbs that agreed with I, we or you, and now have one name as their subject. */
function agreeingVerbs(words: readonly Word[], roles: Roles): ReadonlySet<number> {
  const found = new Set<number>()
  for (const [i, each] of words.entries()) {
    // `My brother and I are` stays plural; `…, and I am` begins a clause of its own.
    const alongside = words[i - 1]?.lower === 'and' && finiteVerb(words.slice(0, i), 0) < 0
    if (!becomesOne(each, roles) || alongside) continue
    let at = i + 1
    while (isAdverb(words[at]) || words[at]?.lower === 'all' || words[at]?.lower === 'both') at++
    const verb = words[at]
    if (verb?.pos !== 'AUX' && verb?.pos !== 'VERB') continue
    found.add(at)
    if (i === 0 && verb.pos === 'VERB' && isBasePresent(verb))
      for (const more of joinedVerbs(words, at)) found.add(more)
  }
  return found
}

function becomesOne(pronoun: Word, roles: Roles): boolean {
  if (pronoun.lower === 'we') return roles.we?.length === 1
  if (pronoun.lower === 'they') return roles.antecedents.find('they', [])?.at(-1)?.lower === 'family'
  return pronoun.lower === 'i' || pronoun.lower === 'you'
}

/** `love it and play it`, `watch films, hike and have tea`: base forms right after a joint, up to the next subject. */
function joinedVerbs(words: readonly Word[], from: number): readonly number[] {
  const found: number[] = []
  for (let i = from + 1; i < words.length - 1; i++) {
    if (/^(?:to|i|we|you|they|who|that|which)$/.test(words[i]?.lower ?? '')) break
    const next = words[i + 1]
    const inList = words[i - 1]?.pos === 'NOUN' && words[i - 2]?.text === ','
    const joint = words[i]?.pos === 'CCONJ' || (words[i]?.text === ',' && words[i + 2]?.text === ',')
    const verb = next?.pos === 'VERB' || next?.lower === 'have' || next?.lower === 'do'
    if (!inList && joint && next && verb && isBasePresent(next)) found.push(i + 1)
  }
  return found
}
