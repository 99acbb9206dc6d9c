/**
 * Detects clauses without a fact: greetings, thanks, compliments, questions, commands, wishes, opinions on nothing in
 * particular. Reads the original words, with their pronouns.
 */
import type { Word } from '../words.ts'
import { isAdverb, isIng } from './verbs.ts'

const social: readonly RegExp[] = [
  /\b(?:thanks|thank you|congrat\w*|good luck|take care|welcome|cheers)\b/,
  /^(?:\w+ ){0,3}(?:sounds?|looks?|seems?) (?:like|so|really|good|great|fun|awesome|amazing|nice|perfect|delicious|cool|wonderful|interesting|incredible|yummy)\b/,
  /^(?:i|we) (?:am|are|was|were) (?:\w+ )?(?:glad|happy|proud|sorry|thankful|grateful|thrilled|pleased|honou?red|lucky|fortunate|blessed|here|sure|curious|impressed|jealous|envious|rooting)\b/,
  /^(?:i|we) (?:am|are) (?:\w+ )?(?:excited|stoked|pumped)(?: (?:for you|to (?:see|hear|share)|about it))?$/,
  /^(?:i|we) (?:\w+ )?(?:appreciate|agree|bet|guess|suppose|mean|wish|get it|get that|see|understand|hear|imagine|remember|wonder|hope|admire|know|forgot|swear|promise|feel you|relate|recommend|suggest)\b/,
  /\b(?:can not|can't|couldn't|could not|cannot) (?:wait|believe|imagine|agree|help|thank|complain|ask)\b/,
  /\b(?:looking|look) forward to (?:hearing|it|that|seeing (?:you|what|how|your)|your)\b/,
  /^(?:i|we) (?:will|can|would|could|should|might|may|must) (?:\w+ )?(?:let you|keep you|be (?:here|there|sure|careful|honest|happy|great|nice|fun|cool)|check|do|try|keep|see|tell|say|remember|think|imagine|definitely|have to|give it|take|talk|support|totally|love (?:to )?(?:hear|see|know|it|that)|always|make sure|never|get)\b/,
  /\b(?:here for you|got your back|have your back|had my back|talk (?:to you )?(?:soon|later)|see you|catch up|feel free|let me know|let us|let's|up to you|means (?:a lot|so much|the world)|no idea|not sure|you're welcome|fingers crossed|count (?:me|you) in|i am (?:all ears|(?:in|down|good|okay|fine|game)(?=$|,)))/,
  /^(?:\w+ ){0,3}remind(?:s|ed)? (?:me|us)\b|\b(?:wishing you|must have|owe you|heads up|been blessed|(?:will|going to) keep|there for (?:me|us|you)|(?:stay|staying|keep|keeping|stayed) (?:motivated|positive|focused|strong|going|pushing|at it)|has happened|over the moon|makes? (?:me|us) (?:happy|smile|feel)|made my day|happy for you|proud of you|believe in you|inspired by you|support you)\b/,
  /^(?:i|we) (?:love|like|loved|liked|dig|enjoyed) (?:your|you|it|that|this|how|the way|those|these|hearing|seeing your|them)\b/,
  /^(?:i|we) (?:feel|felt) (?:you|it|that|the same|so|like|really|very|great|good|bad|happy|better)\b/,
  // Feelings, intentions and requests of the moment.
  /^(?:i|we)(?: am| are|'m|'re| was| were| have been| feel| felt| get| got) (?:\w+ )?(?:trying|struggling|wondering|thinking|considering|leaning|debating|looking (?:at|into|to)|worried|concerned|stressed|overwhelmed|nervous|anxious|excited|determined|ready|eager|hopeful|hoping|confident|unsure|confused|stuck|aware|motivated|inspired|passionate|dedicated|committed|having (?:trouble|issues?|problems?|a hard time)|getting|encountering|facing|able|used to|done|fine|tired|exhausted|gutted|all|up for)\b/,
  /^(?:i|we) (?:want|need|wanted|needed|would like|'d like|have) to (?:make sure|know|see|understand|ensure|get|be|do|keep|try|find|figure|check|say|ask|share|avoid|improve|focus|use|add|implement|create|explore)\b/,
  /\b(?:help me|can you|could you)\b/,
  /^(?:what|how) (?:a|an)\b|^(?:so )?(?:glad|happy|sorry|proud|excited)\b/,
  /n't (?:talked|chatted|spoken|seen you)\b/,
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
  if (
    /^(?:what|why|how|who|where|which|whose|let|please|check|look|keep|see|remember|thank|sounds|do|don't|does|is|are|can|could|would|will|should|may)$/.test(
      first.lower,
    )
  )
    return true
  if (first.pos === 'AUX') return !/^(?:had|been|got)$/.test(first.lower)
  const command = first.pos === 'VERB' && first.lower === first.lemma && !isIng(first) && second?.pos !== 'AUX'
  return (
    command || (isAdverb(first) && second?.pos === 'VERB' && second.lower === second.lemma && words[2]?.pos !== 'AUX')
  )
}

/**
 * A clause about everyone, or about the other person: `your` without a word of the speaker's own, `we can` and `helps
 * us` as wisdom.
 */
export function isGeneric(words: readonly Word[]): boolean {
  const has = (pattern: RegExp) => words.some((each) => pattern.test(each.lower))
  if (has(/^(?:i|me|my|mine|mom|dad)$/) || words.some((each) => each.time)) return false
  if (has(/^(?:you|your|yours)$/)) return !has(/^(?:we|our|us)$/)
  if (/^we$/.test(words[0]?.lower ?? ''))
    return (
      /^(?:can|should|must|need|could|all|have|might|ca|may)$/.test(words[1]?.lower ?? '') &&
      (words[1]?.lower !== 'have' || words[2]?.lower === 'to')
    )
  return has(/^(?:us|our|we)$/) && !/^(?:our|us)$/.test(words[0]?.lower ?? '')
}
