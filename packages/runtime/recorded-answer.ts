/** A recorded answer as a step gets it: a value, a vector as numbers, or none with the reason. */
import type { AnswerRecorded } from '@loomlog/schemas/events'
import type { Json } from '@loomlog/schemas/ids'
import type { Answer } from './step.ts'

export function answerOf({ key, model, answer, vector, none }: AnswerRecorded): Answer<Json> {
  const origin = { by: model, completions: [key] }
  if (vector !== null) {
    const { buffer, byteOffset, length } = vector
    return { kind: 'answer', value: [...new Int8Array(buffer, byteOffset, length)], ...origin }
  }
  if (answer === null) return { kind: 'none', reason: none ?? 'no reason recorded', value: null, ...origin }
  return { kind: 'answer', value: JSON.parse(answer) as Json, ...origin }
}
