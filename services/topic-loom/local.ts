/** The task by rules, and the labels of boxes that no model has labelled. */
import { labelWords } from '@loomlog/language/label-words'
import { isReadByRules } from '@loomlog/language/language'
import { keywords } from '@loomlog/language/terms'
import type { Effects } from '@loomlog/runtime/step'
import { maxKeywordChars, maxKeywords, maxTopicChars } from './label-limits.ts'
import type { Label, Shifts, UnclearLines } from './task-types.ts'

/** The score has already decided which lines open a box. */
// biome-ignore lint/correctness/useYield: rules may ask, and these need not
export function* findShifts({ opens }: UnclearLines): Effects<Shifts> {
  return { new: opens.map(String) }
}

/** The beginning of a long paste is enough to name it. */
const charactersRead = 10_000
const topicWords = 3
const maxFirstLineChars = 60

/** A line of a box, with the language of its conversation there. */
export interface LabelledLine {
  readonly text: string
  readonly language: string | null
}

/** Words that recur in a box name it, in a language that the rules read; else its first line does. */
export function labelOf(lines: readonly LabelledLine[]): Label {
  const texts = lines.filter(({ language }) => isReadByRules(language)).map(({ text }) => text.slice(0, charactersRead))
  const topic = labelWords(texts).slice(0, topicWords).join(', ') || firstLine(lines)
  return {
    topic: topic.slice(0, maxTopicChars).toWellFormed(),
    keywords: keywords(texts, maxKeywords).filter((word) => word.length <= maxKeywordChars),
  }
}

function firstLine([line]: readonly LabelledLine[]): string {
  const [first = ''] = (line?.text ?? '').trim().split(/[\r\n\u2028\u2029]/u)
  return first.length <= maxFirstLineChars
    ? first.trimEnd()
    : `${first.slice(0, maxFirstLineChars).replace(/\s+\S*$/u, '')}…`
}
