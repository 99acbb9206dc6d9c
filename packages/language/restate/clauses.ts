/**
 * Splits a sentence into independent clauses: at dashes and semicolons, before a new subject with its verb after `and`,
 * `but`, `so` or a comma, and before a second verb after `and`, which gets the first one's subject. A phrase in front
 * with a comma (`When I was small, …`, `With my kids, …`) goes to the end.
 */
import type { Word } from '../words.ts'
import { startsClause } from './clause-starts.ts'
import { splitAtCoordination } from './coordination.ts'
import { finiteVerb, isIng, isPast, nominative } from './verbs.ts'

type Words = readonly Word[]

export function clauses(sentence: Words): readonly Words[] {
  return pieces(sentence).flatMap((piece) => {
    const { front, main } = withoutFront(piece)
    const [first, ...others] = splitAtCoordination(main)
    return first === undefined ? [] : [[...first, ...asClauseEnd(front)], ...others]
  })
}

/** Words from the front, in the form for the end of a clause. */
export function asClauseEnd(words: Words): Words {
  return words.map((each, i) => {
    if (i > 0) return each
    const keeps = each.time || each.pos === 'PROPN' || each.lower === 'i'
    return { ...each, text: keeps ? each.text : each.lower, isSpaced: true }
  })
}

function pieces(words: Words): readonly Words[] {
  const found: Word[][] = [[]]
  for (const [i, each] of words.entries()) {
    const dash = /^[-–—]$/.test(each.text) && each.isSpaced && words[i + 1]?.isSpaced
    const title =
      each.text === ':' &&
      (words[i + 1]?.isSpaced === false || (words[i - 1]?.pos === 'PROPN' && words[i + 1]?.pos === 'PROPN'))
    const mark = !title && (dash || /^(?:[;:–—]|--|[.!?…]+)$/.test(each.text))
    if (mark && each.text !== ':' && isApposition(words, i + 1))
      found.at(-1)?.push({ ...each, text: ',', lower: ',', pos: 'PUNCT', isSpaced: false })
    else if (mark) found.push([])
    else found.at(-1)?.push(each)
  }
  return found.filter((piece) => piece.length > 0)
}

/** `a setback - another rejection from a publisher`: an explanation without a verb. */
function isApposition(words: Words, from: number): boolean {
  const first = words[from]
  const end = words.findIndex((each, i) => i >= from && /^(?:[-–—;:.!?…])$/.test(each.text))
  const phrase = words.slice(from, end < 0 ? undefined : end)
  if (
    !first ||
    !/^(?:DET|NUM|NOUN|PROPN)$/.test(first.pos) ||
    /^(?:super|pretty|such|so|very|really|no)$/.test(first.lower) ||
    from < 4 ||
    phrase.length > 9
  )
    return false
  if (
    phrase.some(
      (each) =>
        /^(?:AUX|VERB|INTJ)$/.test(each.pos) ||
        nominative.has(each.lower) ||
        /^(?:this|that|which|for)$/.test(each.lower),
    )
  )
    return false
  return (
    /^(?:NOUN|PROPN)$/.test(words[from - 2]?.pos ?? '') &&
    phrase.some((each) => each.pos === 'NOUN' || each.pos === 'PROPN')
  )
}

const fronts =
  /^(?:when|while|whenever|since|as|after|before|because|once|although|though|even|to|every|besides|despite|thanks)$/

function withoutFront(words: Words): { front: Words; main: Words } {
  const [first] = words
  const whole = { front: [], main: words }
  if (!first) return whole
  const hypothetical = /^(?:if|unless|until)$/.test(first.lower)
  const gerund = isIng(first) || /^(?:based|given|compared)$/.test(first.lower)
  if (!hypothetical && !gerund && first.pos !== 'ADP' && !fronts.test(first.lower)) return whole
  const comma = words.findIndex((each, i) => each.text === ',' && startsClause(words, i + 1, 'any'))
  const subject = words.findIndex(
    (each, i) => i > 1 && i < 7 && /^(?:i|we)$/.test(each.lower) && startsClause(words, i, 'pronoun'),
  )
  const opens = first.pos === 'ADP' || /^(?:after|before|while|since)$/.test(first.lower)
  // `After finishing my thesis I slept`: the -ing form has no subject of its own.
  if (
    comma < 0 &&
    opens &&
    subject > 0 &&
    words.slice(1, subject).every((each) => each.pos !== 'VERB' || isIng(each))
  ) {
    return { front: words.slice(0, subject), main: words.slice(subject) }
  }
  if (comma < 0)
    return hypothetical || /^(?:when|while|because|although|though)$/.test(first.lower)
      ? { front: [], main: [] }
      : whole
  if (hypothetical) return { front: [], main: [] }
  return { front: gerund ? [] : words.slice(0, comma), main: words.slice(comma + 1) }
}

/** The event in a subordinate clause: `I cried when my son fell` → `my son fell`. Empty if there is none. */
export function factiveTail(words: Words): Words {
  if (words.some((each) => /^(?:n't|not|never|if)$/.test(each.lower))) return []
  for (let i = 2; i < words.length - 2; i++) {
    if (!/^(?:when|after|because|while|since)$/.test(words[i]?.lower ?? '') || !startsClause(words, i + 1, 'any'))
      continue
    const tail = words.slice(i + 1)
    const verb = tail[finiteVerb(tail, 0)]
    // `When I was ten` is only a time.
    if (verb && isPast(verb)) return verb.pos === 'AUX' && tail.length < 4 ? [] : tail
  }
  return []
}
