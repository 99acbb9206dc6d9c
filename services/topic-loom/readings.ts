/**
 * Readings: the lines of a conversation as the shift score reads them, with the cosines between neighbours. A line is
 * embedded once; its vector stays in state while later lines are compared with it.
 */
import { cosine } from '@loomlog/language/cosine'
import { ask, type Effects, embed } from '@loomlog/runtime/step'
import type { Line } from './lines.ts'
import { phraseScoresOf } from './phrase-scores.ts'
import type { LineReading } from './state.ts'
import { subjectVector, type VectorBias } from './subject-vectors.ts'

/** Lines that the score of a gap reads: before it, and from the opening line on. */
export const linesBefore = 5
export const linesFrom = 4
/** The most lines between which a cosine is kept. */
const reach = 5
/** The beginning of a long paste is enough; the embedder reads no further either. */
const charactersRead = 2_000

/** The readings with one more line. The step drops lines that no later gap reads. */
export function* withLine(
  readings: readonly LineReading[],
  { id, line, language }: { readonly id: string; readonly line: Line; readonly language: string | null },
  bias?: VectorBias,
): Effects<readonly LineReading[]> {
  const answer = yield* ask(embed, line.text)
  const vector = answer.kind === 'answer' ? answer.value : null
  const subject = vector && subjectVector(vector, bias)
  const near = readings
    .slice(-reach)
    .toReversed()
    .map((earlier) =>
      subject && earlier.vector ? cosine(subjectVector(earlier.vector, bias), subject) : usualSimilarity,
    )
  const { completions } = answer
  const text = line.text.slice(0, charactersRead).toWellFormed()
  const next = { id, speaker: line.speaker, text, language, near, leans: phraseScoresOf(text), vector, completions }
  const older = readings.length + 1 - reach
  return [...readings.map((each, at) => (at < older ? { ...each, vector: null } : each)), next]
}

/** The readings without undone lines, and without cosines with them. */
export function withoutLines(readings: readonly LineReading[], gone: ReadonlySet<string>): readonly LineReading[] {
  return readings.flatMap((reading, at) => {
    if (gone.has(reading.id)) return []
    const near = reading.near.filter((_, back) => !gone.has(readings[at - 1 - back]?.id ?? ''))
    return [{ ...reading, near }]
  })
}

/** The cosine of two average neighbours. It replaces that of a line which is missing or has no vector. */
export const usualSimilarity = 0.16

export function similarity(readings: readonly LineReading[], one: number, other: number): number {
  if (one === other) return 1
  const [earlier, later] = one < other ? [one, other] : [other, one]
  return readings[later]?.near[later - earlier - 1] ?? usualSimilarity
}

/** The cosine between the sums of two groups of unit vectors, from the cosines between their members. */
export function groupSimilarity(
  readings: readonly LineReading[],
  one: readonly number[],
  other: readonly number[],
): number {
  const sum = (a: readonly number[], b: readonly number[]) =>
    a.reduce((total, i) => total + b.reduce((inner, j) => inner + similarity(readings, i, j), 0), 0)
  const lengths = Math.sqrt(Math.max(0, sum(one, one)) * Math.max(0, sum(other, other)))
  return lengths === 0 ? 0 : sum(one, other) / lengths
}
