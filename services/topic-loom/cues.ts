/** Cues of a line's words: whether it asks, greets, closes, requests, reacts, or refers back. English only. */

const asksOther =
  /\b(do|are|have|did|would|can|will|what|where|how|which|who|why|any|when)\b[^.!?]*\b(you|your|u|ya)\b/i
const opensWithSelf = /^\W*(i|my|i['’]?m|i['’]?ve|we|our)\b/i
const refersBack = /\b(it|its|that|this|they|them|he|him|his|she|her|hers|those|these|too|there|ones?)\b/i
const greets = /^\W*(hi|hello|hey|hiya|good (morning|evening|afternoon|day)|greetings|long time)\b/i
const saysGoodbye =
  /\b(bye|goodbye|see (you|ya)|talk (to you )?(soon|later)|take care|catch (you|up) later|good night|have a (great|good|nice|wonderful|lovely|safe)|gotta go|have to go|off to|keep in touch|enjoy (your|the)|safe (travels|trip))\b/i
const thanks = /\b(thanks|thank you|thx|cheers|appreciate)\b/i
const concludes =
  /\b(you['’]?re (very |most )?welcome|(my|our) pleasure|no (problem|trouble|worries)|glad (i|we) could|happy to help|anything else|that['’]?s (all|it|everything)|that (is|will be|was) (all|it|everything)|all (i|we) need|nothing else|all set|have a (great|good|nice|wonderful|lovely))\b/i
const requests =
  /\b(i['’]?d like|i would like|i want|i need|i['’]?m looking|i am looking|looking for|can you|could you|can i|could i|may i|please|help me|find me|find a|book|show me|tell me|let['’]?s|i have to|i['’]?ll be|set (up|an?)|remind)\b/i
const reacts =
  /^\W*(yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|alright|right|oh|wow|ah|aw+|haha|lol|great|nice|cool|perfect|fine|awesome|that['’]?s|sounds|thanks|thank|and|but|so|what about|how about|hmm?|i see|really|me too|exactly|same|well|congrat\w*)\b/i

export type Cues = { readonly [name in keyof typeof cues]: number }

const cues = {
  asks: (text: string) => flag(text.includes('?')),
  asksOther: (text: string) => flag(text.includes('?') && asksOther.test(text)),
  opensWithSelf: (text: string) => flag(opensWithSelf.test(text)),
  refersBack: (text: string) => flag(refersBack.test(text)),
  greets: (text: string) => flag(greets.test(text)),
  saysGoodbye: (text: string) => flag(saysGoodbye.test(text)),
  thanks: (text: string) => flag(thanks.test(text)),
  concludes: (text: string) => flag(concludes.test(text)),
  requests: (text: string) => flag(requests.test(text)),
  reacts: (text: string) => flag(reacts.test(text)),
  sentences: (text: string) => Math.min(1, text.split(/[.!?]+/).filter((part) => /\p{L}/u.test(part)).length / 5),
  words: (text: string) => Math.min(1, Math.log1p(text.split(/\s+/).filter((word) => word !== '').length) / 4),
} as const satisfies { readonly [name: string]: (text: string) => number }

export function cuesOf(text: string): Cues {
  return Object.fromEntries(Object.entries(cues).map(([name, cue]) => [name, cue(text)])) as Cues
}

/** The cues of a missing line. */
export const noCues = cuesOf('')

function flag(condition: boolean): number {
  return condition ? 1 : 0
}
