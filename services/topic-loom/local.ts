/**
 * The tasks by rules. A logistic model scores a shift by plain features: similarity to the last two messages in the stage embedder's
 * space, shared words, and the opening of the message. The weights are data in `shift-weights.ts`, with the command that learns them.
 */
import { keywords } from '@loomlog/language/terms'
import { askAll, type Effects, embed, type Parameters } from '@loomlog/runtime/step'
import { shiftScore } from './shift-score.ts'
import type { BoxText, Description, Shift, ShiftInput } from './task-types.ts'

export function* classifyShift(input: ShiftInput, parameters: Parameters): Effects<Shift> {
  const texts = [...input.window, input.next].map((line) => line.text)
  const vectors = yield* askAll(embed, texts)
  const known = vectors.flatMap((vector) => (vector.kind === 'answer' ? [vector.value] : []))
  // Without its vectors every message would score as a shift.
  if (known.length < texts.length) return { label: 'continuous' }
  const score = shiftScore(input, known)
  const { shiftScore: shift = 1, partialScore: partial = 1 } = parameters
  return { label: score >= shift ? 'discontinuous' : score >= partial ? 'partial' : 'continuous' }
}

/** The beginning of a long paste is enough to name it. */
const charactersRead = 10_000
const topicWords = 3
const keywordCount = 8
/** The limits of the task's schema. */
const longestKeyword = 60
const longestTopic = 120

export function* describeBox(input: BoxText): Effects<Description> {
  const texts = input.lines.map((line) => line.text.slice(0, charactersRead))
  const found = keywords(texts, keywordCount).filter((word) => word.length <= longestKeyword)
  // A box of greetings has no keywords; its first line names it.
  const first = (texts[0] ?? '').trim().slice(0, longestKeyword)
  const topic = found.length > 0 ? found.slice(0, topicWords).join(', ') : first
  return { topic: topic.slice(0, longestTopic).toWellFormed(), keywords: found }
}
