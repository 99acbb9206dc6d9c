/**
 * The subject of a clause: adds the subject that chat leaves out, and refuses subjects without a meaning of their own.
 */
import { type Word, word } from '../words.ts'
import { isBasePresent } from './agreement.ts'
import { type Frame, finiteVerb, isAdverb, isIng, nominative } from './verbs.ts'

/** `also` and `even` refer to an earlier statement, which a self-contained one doesn't have. */
export function presupposes(each: Word, next: Word | undefined): boolean {
  return each.lower === 'also' || (each.lower === 'even' && (next?.pos === 'VERB' || next?.pos === 'AUX'))
}

const i = word('I', 'PRON', 'i')

/** Chat drops its subject: `Went to the lake`, `Been reading a lot`, `Working on a book` are about the speaker. */
export function withSubject(words: readonly Word[]): readonly Word[] {
  const [first, second] = words
  if (!first) return words
  if (first.lower === 'been' && beenSomewhere(words))
    return [i, word('have', 'AUX', 'have'), lowered(first), ...words.slice(1)]
  const past =
    first.pos === 'VERB' &&
    first.lower !== first.lemma &&
    !isIng(first) &&
    !first.lower.endsWith('s') &&
    finiteVerb(words, 0) === 0 &&
    // `Gave me peace` is about another subject.
    !words.slice(1, 3).some((each) => /^(?:me|us)$/.test(each.lower)) &&
    !(/^(?:took|cost)$/.test(first.lower) && words.some((each) => effort.test(each.lower)))
  const had = first.lower === 'had' && second?.pos !== 'PRON'
  if (past || had || first.lower === 'got') return [i, lowered(first), ...words.slice(1)]
  const announces = first.lower === 'going' && second?.lower === 'to' && words[2]?.pos === 'VERB'
  if ((announces || goesOn.test(first.lower)) && finiteVerb(words, 0) < 0)
    return [i, word('am', 'AUX', 'be'), lowered(first), ...words.slice(1)]
  return words
}

/** `Took some trial and error`, `took two hours` are about a thing. */
const effort =
  /^(?:trial|whiles?|ages|forever|time|effort|practice|patience|courage|guts|work|convincing|seconds?|minutes?|hours?|days?|weeks?|months?|years?)$/

/** `Been reading`, `been to Rome`, `been only to Rome`; `been a while` has no person. */
function beenSomewhere(words: readonly Word[]): boolean {
  let next = 1
  while (isAdverb(words[next])) next++
  return words[next]?.pos === 'VERB' || /^(?:to|in|at|into|through|on)$/.test(words[next]?.lower ?? '')
}

const goesOn =
  /^(?:researching|working|planning|trying|learning|practicing|creating|writing|preparing|reading|studying|training|volunteering|considering|adding|building|heading|focusing|saving|moving|painting|teaching)$/

function lowered(each: Word): Word {
  return { ...each, text: each.lower, isSpaced: true }
}

/** `My dream come true`: a singular subject with a plural verb, so the verb belongs elsewhere. */
function disagrees(subject: readonly Word[], verb: Word | undefined): boolean {
  const head = subject.at(-1)
  if (verb?.pos !== 'VERB' || head?.pos !== 'NOUN' || !isBasePresent(verb)) return false
  const many =
    head.lower.endsWith('s') ||
    /^(?:people|children|men|women|folk|family|team|crew|police|staff|fam|crowd)$/.test(head.lower)
  return !many && subject.every((each) => each.pos !== 'CCONJ' && !/^(?:that|who|which)$/.test(each.lower))
}

const untellable =
  /^(?:even|there|this|that|these|those|your?|what|who|which|if|when|how|nothing|here.*|everything|something|one|things|stuff|lots|much|because|since|while|seeing|hearing|knowing|maybe|perhaps)$/

/**
 * Whether the subject means something. `There is`, a bare `this`, a generic `you` and the `it` of `it is great` don't.
 */
export function isMeaningfulSubject(words: readonly Word[], { verb, end }: Frame): boolean {
  const subject = words.slice(0, verb)
  const [first, second] = subject
  if (!first || subject.length > 12 || first.pos === 'ADP') return false
  if (subject.at(-1)?.text === ',' && subject.filter((each) => each.text === ',').length === 1) return false
  if (isIng(first) && subject.some((each) => nominative.has(each.lower))) return false
  if (disagrees(subject, words[verb])) return false
  // `A thriller set in a small town`
  if (/^an?$/.test(first.lower) && words[verb]?.lower === 'set' && words[verb + 1]?.lower === 'in') return false
  const bareBe = words.slice(verb, end).every((each) => each.pos === 'AUX' || isAdverb(each))
  // `It is great` is a feeling; `it is on Friday` and `it is 20 euros` are about the thing.
  if (/^(?:it|they|he|she)$/.test(first.lower)) {
    // `It was so cool seeing them`
    if (words.slice(verb, end).some((each) => /^(?:so|such|very|really|super|cool|fun)$/.test(each.lower))) return false
    return (
      !bareBe ||
      words[end]?.pos === 'NUM' ||
      words[end]?.time !== undefined ||
      (words[end]?.pos === 'ADP' && words[end + 1]?.time !== undefined)
    )
  }
  if (first.time) return words[verb]?.pos !== 'AUX'
  const pointsAtNoun = /^(?:this|that|these|those)$/.test(first.lower) && /^(?:NOUN|PROPN|ADJ)$/.test(second?.pos ?? '')
  return !untellable.test(first.lower) || pointsAtNoun || second?.lower === 'of'
}
