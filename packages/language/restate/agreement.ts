/** Makes verbs that agreed with `I`, `we` or `you` agree with a name: am → is, love → loves, have → has. */
import { type Word, word } from '../words.ts'

const irregular: { readonly [base: string]: string } = {
  am: 'is',
  are: 'is',
  were: 'was',
  have: 'has',
  "'ve": 'has',
  "'m": 'is',
  "'re": 'is',
  do: 'does',
  go: 'goes',
  "'s": "'s",
}
/** Past forms that equal their base, or that the tagger takes for it. */
export const pastEqualToBase = new Set([
  'learnt',
  'dreamt',
  'burnt',
  'last',
  'put',
  'cut',
  'hit',
  'set',
  'let',
  'hurt',
  'cost',
  'quit',
  'shut',
  'bet',
  'spread',
  'beat',
])

const irregularPast = /(?:took|wrote|went|made|came|saw|gave|ran|thought|bought|built|began|told|wore|chose|drove)$/

export function isBasePresent(verb: Word): boolean {
  if (verb.pos === 'AUX') return verb.lower in irregular
  return (
    verb.pos === 'VERB' &&
    (verb.lower === verb.lemma || verb.lower in irregular) &&
    !pastEqualToBase.has(verb.lower) &&
    !/[^e]ed$/.test(verb.lower) &&
    !irregularPast.test(verb.lower)
  )
}

/** The verb in the third person singular; past forms and modals stay unchanged. */
export function thirdPerson(verb: Word, clauseIs: 'past' | 'open'): Word {
  if (verb.lower === 'were' || (verb.pos === 'AUX' && verb.lower in irregular))
    return respelt(verb, irregular[verb.lower] ?? verb.text)
  if (!isBasePresent(verb) || (verb.lower === 'read' && clauseIs === 'past')) return verb
  return respelt(verb, thirdPersonForm(verb.lower))
}

function respelt(verb: Word, text: string): Word {
  return word(text, verb.pos, verb.lemma)
}

function thirdPersonForm(base: string): string {
  const known = irregular[base]
  if (known) return known
  if (/(?:s|x|z|ch|sh|o)$/.test(base)) return `${base}es`
  return /[^aeiou]y$/.test(base) ? `${base.slice(0, -1)}ies` : `${base}s`
}
