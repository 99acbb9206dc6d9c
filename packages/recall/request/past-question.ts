/**
 * Recognises questions about the past, in the languages that have rules. In doubt a question is about the past: a
 * context then shows earlier values beside the current ones, each with its end.
 */
import { asksForTime } from './question.ts'

const spaced = (alternatives: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, 'iu')

const past = [
  spaced(
    'was|were|had|before|first(?:ly)?|initial(?:ly)?|used to|previous(?:ly)?|former(?:ly)?|original(?:ly)?|earlier|until|formerly|in the past|back then|so far|changed?|no longer',
  ),
  spaced('war|waren|hatten?|früher|vorher|zuvor|zuerst|erst|ursprünglich|damals|anfangs|bisher|bis wann|geändert'),
  spaced("était|étaient|avait|avaient|avant|d['’]abord|au début|auparavant|initialement|ancien(?:ne)?s?|changé"),
  spaced('era|eran|estaba|estaban|fue|tenía|antes|primero|originalmente|al principio|anterior(?:es)?|cambió|cambiado'),
  /以前|之前|原来|原先|最初|当初|曾经|本来|过去|改过|もともと|元々|前は|かつて|でした|変わった/u,
] as const

const course = [
  spaced(
    "how did|how (?:has|have) .{1,80} (?:gone|been|changed|developed)|how (?:it|things|this|that|they) went|what(?:['’]s| has| have)? (?:all )?happened|(?:in )?(?:which|what) order|histor(?:y|ies)|over time|over the (?:weeks|months|years)|(?:came|happened|was|were|did) .{0,80}first|before or after|timeline|step by step|course of|overview|summar(?:y|i[sz]e)",
  ),
  spaced(
    'wie (?:lief|liefen|verlief|kam|kam es|ging|ist .{1,80} gelaufen)|was (?:ist|war) .{0,80}(?:passiert|geschehen)|reihenfolge|verlauf|geschichte|überblick|was kam zuerst',
  ),
  spaced(
    "que s['’]est-il passé|qu['’]est-il arrivé|dans quel ordre|historique|comment .{1,80} (?:passé|évolué|déroulé)e?s?|déroulement|résumé",
  ),
  spaced('qué (?:ha )?pas(?:ó|ado)|en qué orden|historia|cómo (?:fue|fueron|evolucionó|ha ido)|resumen|cronología'),
  /发生了什么|顺序|先后|经过|历史|怎么发展|过程|どうなった|何があった|順番|順序|経緯|歴史|いきさつ|流れ/u,
] as const

/** Whether the answer may be a value that has ended. */
export function asksAboutPast(query: string): boolean {
  return past.some((cue) => cue.test(query)) || asksCourse(query) || asksForTime(query)
}

/** Whether it asks how a matter went, or in which order. */
export function asksCourse(query: string): boolean {
  return course.some((cue) => cue.test(query))
}
