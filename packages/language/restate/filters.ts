/**
 * What is no fact: greetings, thanks, compliments, questions, commands, wishes for the other, opinions on nothing in particular.
 * Judged by the words as they were said; what remains must also name something of substance.
 */
import type { Word } from '../words.ts'
import { isAdverb, isIng } from './verbs.ts'

const social: readonly RegExp[] = [
  /\b(?:thanks|thank you|congrat\w*|good luck|take care|welcome|cheers)\b/,
  /\b(?:sounds?|looks?|seems?) (?:like|so|really|good|great|fun|awesome|amazing|nice|perfect|delicious|cool|wonderful|interesting|incredible|yummy)\b/,
  /^(?:i|we) (?:am|are|was|were) (?:\w+ )?(?:glad|happy|proud|sorry|thankful|grateful|thrilled|pleased|honou?red|lucky|fortunate|blessed|here|sure|curious|impressed|jealous|envious|rooting)\b/,
  /^(?:i|we) (?:am|are) (?:\w+ )?(?:excited|stoked|pumped)(?: (?:for you|to (?:see|hear|share)|about it))?$/,
  /^(?:i|we) (?:\w+ )?(?:appreciate|agree|bet|guess|suppose|mean|wish|get it|get that|see|understand|hear|imagine|remember|wonder|hope|admire|know|forgot|swear|promise|feel you|relate|recommend|suggest)\b/,
  /\b(?:can not|can't|couldn't|could not|cannot) (?:wait|believe|imagine|agree|help|thank|complain|ask)\b/,
  /\b(?:looking|look) forward to (?:hearing|it|that|seeing (?:you|what|how|your)|your)\b/,
  /^(?:i|we) (?:will|can|would|could|should|might|may|must) (?:\w+ )?(?:let you|keep you|be (?:here|there|sure|careful|honest|happy|great|nice|fun|cool)|check|do|try|keep|see|tell|say|remember|think|imagine|definitely|have to|give it|take|talk|support|totally|love (?:to )?(?:hear|see|know|it|that)|always|make sure|never|get)\b/,
  /\b(?:here for you|got your back|have your back|had my back|talk (?:to you )?(?:soon|later)|see you|catch up|feel free|let me know|let us|let's|up to you|means (?:a lot|so much|the world)|no idea|not sure|you're welcome|fingers crossed|count (?:me|you) in|i am (?:all ears|in|down|good|okay|fine|game))\b/,
  /\b(?:remind(?:s|ed)? (?:me|us)|wishing you|has happened|over the moon|makes? (?:me|us) (?:happy|smile|feel)|made my day|happy for you|proud of you|believe in you|inspired by you|support you)\b/,
  /^(?:i|we) (?:love|like|loved|liked|dig|enjoyed) (?:your|you|it|that|this|how|the way|those|these|hearing|seeing your|them)\b/,
  /^(?:i|we) (?:feel|felt) (?:you|it|that|the same|so|like|really|very|great|good|bad|happy|better)\b/,
  /^(?:what|how) (?:a|an)\b/,
  /^(?:i|we) (?:said|say|was saying|think|thought) (?:so|about it|that you|you|it|that is|this|he|she|they)\b/,
  /^(?:i|we) (?:have|has|had) (?:no|a lot of fun|fun|a (?:great|good|nice|blast|wonderful|fantastic) ?(?:time|day|one)?$|the same|to (?:say|agree|admit|tell|check|try|go))\b/,
  /^(?:i|we) (?:did|do|does|do n't|did n't|don't|didn't|ca n't|can't|am|are|was|were|will|can|have|had|would|made|got) ?(?:it|that|this|so|too|them|not)?$/,
]

export function isSocial(clause: string): boolean {
  return social.some((pattern) => pattern.test(clause))
}

/** Questions by their order of words, and commands. */
export function asksOrCommands(words: readonly Word[]): boolean {
  const [first, second] = words
  if (!first) return true
  if (/^(?:what|why|how|who|where|which|whose|let|please|do|don't|does|is|are|can|could|would|will|should|may)$/.test(first.lower)) return true
  if (first.pos === 'AUX') return !/^(?:had|been|got)$/.test(first.lower)
  const command = first.pos === 'VERB' && first.lower === first.lemma && !isIng(first) && second?.pos !== 'AUX'
  return command || (isAdverb(first) && second?.pos === 'VERB' && second.lower === second.lemma && words[2]?.pos !== 'AUX')
}

const weak = new Set(
  `be have do get make go come feel thing lot way time bit day life something anything everything nothing one stuff part kind moment
  good great nice amazing awesome incredible cool fun happy glad excited important special wonderful fantastic beautiful lovely tough hard
  super very so too also really much many more such always never well sure able whole little big different new other same own think
  know see look want need try like love say tell mean keep seem become use take let give find hope experience journey world people
  person best better perfect inspiring rewarding fulfilling blast joy support memory pretty definitely even still back out up again
  fan chance goal difference step progress idea challenge passion heart mind positive hear understand help`.split(/\s+/),
)

/** How much a statement says beyond its subject: names, numbers and dates count double, pale words not at all. */
export function substance(predicate: readonly Word[]): number {
  let sum = 0
  for (const each of predicate) {
    if (each.time || each.pos === 'NUM') sum += 2
    else if (each.pos === 'PROPN') sum += 1
    else if (/^(?:NOUN|VERB|ADJ)$/.test(each.pos) && !weak.has(each.lemma)) sum += each.pos === 'NOUN' ? 1.5 : 1
  }
  return sum
}
