/**
 * Learns the directions in the embedder's space along which lines lean that open a topic, end one, or follow an opening: one wide logistic
 * regression over the vectors of three lines around every labelled gap.
 */
import type { Directions } from '@loomlog/topic-loom/leans'
import type { Dialogue } from '../dialogues.ts'
import { fitWide } from '../logistic.ts'

const penalty = 7.5e-4

export function directionsFrom(
  dialogues: readonly Dialogue[],
  vectorOf: (text: string) => readonly number[],
): Directions {
  const size = vectorOf(dialogues[0]?.texts[0] ?? '').length
  const unit = (text: string | undefined) => {
    const vector = text === undefined ? new Array<number>(size).fill(0) : vectorOf(text)
    const length = Math.hypot(...vector) || 1
    return vector.map((value) => value / length)
  }
  const examples = dialogues.flatMap(({ texts, shifts }) =>
    texts.slice(1).map((text, i) => ({
      features: [1, ...unit(text), ...unit(texts[i]), ...unit(texts[i + 2])],
      isShift: shifts[i + 1] ?? false,
      weight: 1,
    })),
  )
  const [, ...found] = fitWide(examples, penalty)
  return { opening: found.slice(0, size), last: found.slice(size, 2 * size), after: found.slice(2 * size) }
}
