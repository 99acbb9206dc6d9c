/** Decides whether a statement is worth keeping: it names a person or a thing, and has some substance. */
import { firstNameGender } from '../first-names.ts'
import { isName } from '../names.ts'
import type { Word } from '../words.ts'
import { type Frame, isAdverb, isIng, isPast } from './verbs.ts'

export function isSubstantial(words: readonly Word[], frame: Frame, participants: readonly string[]): boolean {
  const { verb, end } = frame
  const predicate = words.slice(verb)
  if (words.length < 3 || words.length > 45 || breaksOff(words) || saysLittle(words, frame, participants)) return false
  const isParticipant = (each: Word) => participants.includes(each.text)
  // A capital at the beginning is a name only before a verb in the past: `Rufo barked`.
  const did = verb === 1 && words[verb]?.pos === 'VERB' && isPast(words[verb])
  const named = (each: Word, i: number) =>
    each.pos === 'PROPN' && (i > 0 || firstNameGender(each.text) !== null || (did && isName(each)))
  const tied = words.some((each, i) => each.time || isParticipant(each) || named(each, i))
  const happened = /^(?:DET|NUM)$/.test(words[0]?.pos ?? '') && words[verb]?.pos === 'VERB' && isPast(words[verb])
  const object = words.slice(end).some((each) => /^(?:NOUN|PROPN|NUM|TIME|VERB|ADJ)$/.test(each.pos))
  const speakerAlone = verb === 1 && words[0] !== undefined && isParticipant(words[0])
  const sum = substance(predicate.filter((each) => !isParticipant(each))) + (speakerAlone ? 0 : 0.5)
  // A time alone has no substance: `Ann was thinking on 8 May`.
  if (speakerAlone && substance(predicate.filter((each) => !each.time && !isParticipant(each))) < 1) return false
  return object && ((tied && sum >= 1.5) || (happened && sum >= 3))
}

function breaksOff(words: readonly Word[]): boolean {
  const short = words.findIndex(
    (each, i) => /^(?:few|some|more|many|another)$/.test(each.lower) && (words[i + 1]?.time || words[i + 2]?.time),
  )
  if (short > 0 && words[short + 1]?.pos === 'ADP') return true
  if (/^(?:few|some|more|many|couple|most|such|ones)$/.test(words.at(-1)?.lower ?? '')) return true
  return /^(?:DET|CCONJ|SCONJ|PART|AUX)$/.test(words.at(-1)?.pos ?? '')
}

/** `Running was great`, `she has been one`, `I do - really`: a verb without content, and no other content. */
function saysLittle(words: readonly Word[], { verb, end }: Frame, participants: readonly string[]): boolean {
  const group = words.slice(verb, end)
  const rest = words.slice(end)
  const [object] = rest
  // `one` refers to an earlier statement.
  const one = words.findIndex(
    (each, i) => i >= end && each.lower === 'one' && /^(?:VERB|AUX|ADP)$/.test(words[i - 1]?.pos ?? ''),
  )
  if (one > 0 && !/^(?:NOUN|ADJ)$/.test(words[one + 1]?.pos ?? '') && !/^(?:of|-)$/.test(words[one + 1]?.lower ?? ''))
    return true
  if (group.every((each) => /^(?:do|does|did)$/.test(each.lower)) && object?.pos !== 'DET') return true
  if (!group.every((each) => each.pos === 'AUX' || isAdverb(each))) return false
  const isSpecific = rest.some((each) => each.time || each.pos === 'PROPN' || each.pos === 'NUM')
  const isParticipant = (each: Word) => participants.includes(each.text)
  const gerund = isIng(words[0]) && !rest.some(isParticipant)
  return !isSpecific && (gerund || !words.slice(0, verb).some(isParticipant))
}

const weak = new Set(
  `be have do get make go come feel thing lot way time bit day life something anything everything nothing one stuff part kind moment
  good great nice amazing awesome incredible cool fun happy glad excited important special wonderful fantastic beautiful lovely tough hard
  super very so too also really much many more such always never well sure able whole little big different new other same own think
  know see look want need try like love say tell mean keep seem become use take let give find hope experience journey world people
  person best better perfect inspiring rewarding fulfilling blast joy support memory pretty definitely even still back out up again
  cute sweet adorable okay zen mix dream reach fulfillment feeling
  setback color talk
  ton bunch stuff happen reality future start end main last next early late busy due easy
  fan chance goal remember wait difference step progress idea challenge passion heart mind positive hear understand help`.split(
    /\s+/,
  ),
)

/** The content words beyond the subject: names, numbers and dates count double, pale words not at all. */
function substance(predicate: readonly Word[]): number {
  let sum = 0
  for (const each of predicate) {
    if (each.time || each.pos === 'NUM') sum += 2
    else if (each.pos === 'PROPN') sum += 2
    else if (/^(?:NOUN|VERB|ADJ)$/.test(each.pos) && !weak.has(each.lemma)) sum += each.pos === 'NOUN' ? 1.5 : 1
  }
  return sum
}
