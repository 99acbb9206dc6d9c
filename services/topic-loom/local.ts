/** The task by rules, and the labels of boxes that no model has labelled. */
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

export function labelOf(lines: readonly string[]): Label {
  const texts = lines.map((text) => text.slice(0, charactersRead))
  const found = keywords(texts, maxKeywords).filter((word) => word.length <= maxKeywordChars)
  // A box of greetings has no keywords; its first line names it.
  const first = (texts[0] ?? '').trim().slice(0, maxKeywordChars)
  const topic = found.length > 0 ? found.slice(0, topicWords).join(', ') : first
  return { topic: topic.slice(0, maxTopicChars).toWellFormed(), keywords: found }
}
