/**
 * Normalises an utterance's text before it is tagged: straight quotes, full contractions, standard spellings; signs and
 * words without content are dropped. The meaning stays.
 */

import { maxParenthesisChars, maxRepeatedSigns, maxWordChars } from './limits.ts'

const changes: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`([^\\p{L}\\p{N}\\s])\\1{${maxRepeatedSigns},}`, 'gu'), '$1'.repeat(maxRepeatedSigns)],
  [new RegExp(`\\S{${maxWordChars},}`, 'g'), ' '],
  [/[ \t]+/g, ' '],
  [/[’‘]/g, "'"],
  [/[“”]/g, '"'],
  [/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F|\u200D/gu, ' '],
  [/(?:^|\s)(?:[:;]-?[)(DP/]|<3|xD)(?=\s|$|[.!?])/g, ' '],
  [new RegExp(`\\([^()]{0,${maxParenthesisChars}}\\)`, 'g'), ' '],
  [/\b(I)\s?'?m\b(?=\s)/g, '$1 am'],
  [/\b(I|we|you|they|who|that|there)'(m|ve|re|ll)\b/gi, '$1 {$2}'],
  [/\b(he|she|it|this)'ll\b/gi, '$1 {ll}'],
  [/\{m\}/g, 'am'],
  [/\{ve\}/g, 'have'],
  [/\{re\}/g, 'are'],
  [/\{ll\}/g, 'will'],
  [/(?<=\s)'?(?:cause|cuz|coz)\b(?= (?:i|we|he|she|it|they|you|my|the)\b)/gi, 'because'],
  [/(?<=\s)'em\b/gi, 'them'],
  [/\bya\b/gi, 'you'],
  [/(?<=\w)- (?=\w)/g, ' - '],
  [
    /,? ?\b(?:so |go )?(?:check (?:it|this|them|that) out|take a look|have a look|look at (?:this|that|it))(?=\s*[.,!?]|$)/gi,
    ' ',
  ],
  [
    /\b(?:(?:in|over|for|during|within) )?the (?:next|coming|past|last) (?:few|couple(?: of)?|several|two|three|four|five|six|ten|\d+) (?:days|weeks|weekends|months|years)\b/gi,
    ' ',
  ],
  // `…, isn't it?`
  [
    /,? (?:is|are|was|were|do|does|did|have|has|had|should|would|could|ca|wo|must)n't (?:I|you|we|it|they|he|she|that)(?=[.?!]|$)/gi,
    '',
  ],
  [/\bgonna\b/gi, 'going to'],
  [/\bwanna\b/gi, 'want to'],
  [/\b(?:have |has |'ve )?gotta\b/gi, 'have to'],
  [
    /\b(?:lol|haha(?:ha)*|hehe|tho|kinda|kind of|sort of|sorta|y'know|btw|by the way|ugh|(?<=, )you know(?=,)|i mean)\b/gi,
    ' ',
  ],
  [
    /\b(?:(?:just )?recently|lately|right now|these days|nowadays|currently|at the moment|the other day|(?:quite )?(?:a|some) (?:while|time) (?:ago|back)|(?:ages|long) ago|not (?:too |so |that )?long ago|any ?time soon|(?:very |pretty )?soon(?! as)|anymore|(?:these|the) (?:last|past) (?:few|couple(?: of)?) (?:days|weeks|months))\b/gi,
    ' ',
  ],
  [
    /\b(?:(?:ever )?since (?:we|i|our|the) (?:last [a-z]+|[a-z]+ last)(?: (?:you|together|up))?|(?:a|one|two|three|a few|few|couple(?: of)?|several) (?:days?|weeks?|weekends?|months?|years?) later|(?:from )?now on|in the meantime)\b/gi,
    ' ',
  ],
  [
    /\bI (?:just )?(?:want(?:ed)?|have|had|need(?:ed)?) to (?:let you know|tell you|say|share with you)(?: that| about)?\s/gi,
    '',
  ],
  [
    /,? which (?:is|was|has been) (?:\w+ )?(?:exciting|great|awesome|amazing|cool|nice|fun|wonderful|good|tough|hard|incredible|fantastic|special|awful|sad)(?=[.,!?]|$)/gi,
    '',
  ],
  [/\bnow\b(?! that)/gi, ''],
  [/([.,!])"/g, '"$1'],
  [/,\s(?:so|such an?|pretty|super|very|really)\s\w+(?: \w+){0,3}(?=[.!?]|$)/gi, ''],
  [
    /\b(?:just|really|actually|honestly|totally|definitely|literally|basically|absolutely|certainly|truly|seriously|obviously)\s(?!as\b|like\b)/gi,
    '',
  ],
  [/[~*_]+|(?<![A-Z])#+/g, ' '],
  [/(?<!\s)\s+([.,!?;])/g, '$1'],
  [/([,.!?])(?=[A-Z][a-z])/g, '$1 '],
  [/\.{2,}|…/g, '. '],
  [/[ \t]+/g, ' '],
]

export function tidy(text: string): string {
  let tidied = text.replace(/\s+/g, (space) => (space.includes('\n') ? '\n' : ' '))
  for (const [pattern, replacement] of changes) tidied = tidied.replace(pattern, replacement)
  return (
    tidied
      .replace(/\n+/g, '. ')
      // The tagger takes `in.` for inches, and `I.` for an initial.
      .replace(/\b(in|I|no)\.(?= [A-Z])/g, '$1!')
      .replace(/([.!?])\s*\./g, '$1')
      .trim()
  )
}
