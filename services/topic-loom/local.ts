/**
 * The tasks by rules. A shift is scored by a logistic model over a few plain features: how near the new message is to the last two
 * in the stage embedder's space, the words they share, and how it opens. The weights are data, in `shift-weights.ts`, with the
 * command that makes them.
 */
import { keywords } from '@loomlog/language/terms'
import type { Parameters } from '@loomlog/runtime/processor'
import { askAll, type Effects } from '@loomlog/runtime/step'
import { embed } from '@loomlog/runtime/task'
import { shiftScore } from './shift-score.ts'
import type { BoxText, Description, Shift, ShiftInput } from './tasks.ts'

export function* classifyShift(input: ShiftInput, parameters: Parameters): Effects<Shift> {
  const texts = [...input.window, input.next].map((line) => line.text)
  const vectors = yield* askAll(embed, texts)
  const known = vectors.flatMap((vector) => (vector.none === null ? [vector.value] : []))
  // Without its vectors the score would take every message for a stranger.
  if (known.length < texts.length) return { label: 'continuous' }
  const score = shiftScore(input, known)
  const { shiftScore: shift = 1, partialScore: partial = 1 } = parameters
  return { label: score >= shift ? 'discontinuous' : score >= partial ? 'partial' : 'continuous' }
}

/** A long paste is named by how it begins. */
const charactersRead = 10_000
const topicWords = 3
const keywordCount = 8
/** As the task's schema has it. */
const longestKeyword = 60
const longestTopic = 120

export function* describeBox(input: BoxText): Effects<Description> {
  const texts = input.lines.map((line) => line.text.slice(0, charactersRead))
  const found = keywords(texts, keywordCount).filter((word) => word.length <= longestKeyword)
  // A box of greetings has no telling words; its first line names it then.
  const first = (texts[0] ?? '').trim().slice(0, longestKeyword)
  const topic = found.length > 0 ? found.slice(0, topicWords).join(', ') : first
  return { topic: topic.slice(0, longestTopic).toWellFormed(), keywords: found }
}
