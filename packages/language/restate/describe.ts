/** The fields of a finished statement: subject, relation and object, tense, kind, and place. */
import { joined, type Word } from '../words.ts'
import type { Kind, Tense } from './statement.ts'
import { type Frame, isAdverb } from './verbs.ts'

interface Description {
  readonly subject: string
  readonly relation: string
  readonly object: string
  readonly tense: Tense
  readonly kind: Kind
  readonly location: string | null
}

export function describe(words: readonly Word[], { verb, end }: Frame, at: number): Description {
  let relationEnd = end
  if (/^(?:ADP|PART)$/.test(words[end]?.pos ?? '') || /^(?:back|out|up|off|down|away)$/.test(words[end]?.lower ?? ''))
    relationEnd++
  if (relationEnd > end && words[relationEnd]?.pos === 'ADP' && words[relationEnd - 1]?.pos !== 'ADP') relationEnd++
  const group = words.slice(verb, end)
  let start = verb
  while (start > 1 && isAdverb(words[start - 1])) start--
  const tense = tenseOf(group, words, at)
  return {
    subject: joined(words.slice(0, start)),
    relation: joined(words.slice(start, relationEnd)),
    object: joined(words.slice(relationEnd)),
    tense,
    kind: kindOf(group, words, tense),
    location: locationIn(words.slice(end)),
  }
}

function tenseOf(group: readonly Word[], words: readonly Word[], at: number): Tense {
  const [first] = group
  const text = joined(group).toLowerCase()
  const time = words.find((each) => each.time)?.time
  if (/\b(?:will|wo|'ll)\b|\bgoing to \w/.test(text)) return 'future'
  if (time && time.from > at && !/^(?:was|were|had|did)\b/.test(text)) return 'future'
  if (/^(?:has|have) got$/.test(text)) return 'present'
  if (/^(?:has|have|had) .*ing$/.test(text) || /^(?:has|have)(?: n't)? been$/.test(text)) return 'present'
  if (/^(?:was|were|had|did|has|have) \w|^(?:was|were|had|did)$/.test(text)) return 'past'
  const pastForm = first?.pos === 'VERB' && first.lower !== first.lemma && !first.lower.endsWith('s')
  return pastForm || (first?.lower === 'read' && time !== undefined) ? 'past' : 'present'
}

const plans =
  /\b(?:plan|hope|want|intend|aim|consider|hop|wish|dream)(?:s|es|ing|ning)?\b|\b(?:would|'d) (?:like|love)\b|\b(?:looking forward|thinking (?:of|about)|excited (?:to|for))\b/
const likes = new Set('love like enjoy prefer hate adore dislike cherish treasure'.split(' '))

function kindOf(group: readonly Word[], words: readonly Word[], tense: Tense): Kind {
  const text = joined(words.slice(words.indexOf(group[0] as Word))).toLowerCase()
  if (tense === 'future' || (tense === 'present' && plans.test(text.split(' ').slice(0, 5).join(' ')))) return 'plan'
  const main = group.find((each) => each.pos === 'VERB')
  if (
    (main && likes.has(main.lemma)) ||
    /\bfavou?rites?\b.* (?:is|are)\b|\b(?:is|are) .*\bfavou?rites?\b|\bfan of\b/.test(joined(words).toLowerCase()) ||
    /^(?:is|are|was|has been|have been) (?:(?:so|very|really|super|big|totally|always) )*into\b/.test(text)
  )
    return 'preference'
  // `Ann has never worked freelance` is a state.
  const open = /^(?:has|have)(?: not|n't| n't| never)\b/.test(text)
  if (tense === 'past' && main && !open) return 'event'
  return 'state'
}

const places = new Set(
  `park beach museum shelter school university college church hospital office gym library cafe café restaurant lake mountain mountains
  forest city town village studio theater theatre center centre hall home house garden farm zoo store shop mall club bar airport
  camp campsite trail island river sea ocean country state neighborhood community lab gallery market stadium court arena hotel`.split(
    /\s+/,
  ),
)

/** `in Paris`, `at the museum`: the first phrase of place. */
function locationIn(words: readonly Word[]): string | null {
  for (const [i, each] of words.entries()) {
    if (!/^(?:in|at|to|from|near|around)$/.test(each.lower)) continue
    let end = i + 1
    while (
      /^(?:DET|ADJ|NOUN|PROPN|NUM)$/.test(words[end]?.pos ?? '') ||
      /^(?:'s|of)$/.test(words[end]?.lower ?? '') ||
      isAdverb(words[end])
    )
      end++
    const phrase = words.slice(i + 1, end)
    const head = phrase.at(-1)
    const proper =
      head?.pos === 'PROPN' &&
      each.lower !== 'from' &&
      phrase.every((part) => part.pos === 'PROPN' || part.pos === 'DET')
    if (head && (proper || places.has(head.lower))) return joined(phrase)
  }
  return null
}
