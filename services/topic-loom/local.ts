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
  const score = shiftScore(
    input,
    vectors.map((vector) => vector.value ?? []),
  )
  const { shiftScore: shift = 1, partialScore: partial = 1 } = parameters
  return { label: score >= shift ? 'discontinuous' : score >= partial ? 'partial' : 'continuous' }
}

const topicWords = 3
const keywordCount = 8

export function* describeBox(input: BoxText): Effects<Description> {
  const found = keywords(
    input.lines.map((line) => line.text),
    keywordCount,
  )
  // A box of greetings has no telling words; its first line names it then.
  const first = input.lines[0]?.text ?? ''
  const topic = found.length > 0 ? found.slice(0, topicWords).join(', ') : first.slice(0, 60)
  return { topic, keywords: found }
}
