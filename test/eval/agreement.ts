/** Agreement with the boundaries that people marked: the usual measures of text segmentation. */

import { mean } from './mean.ts'

interface Labelled {
  readonly isShift: boolean
}

/** AUC: the probability that a shift scores above a non-shift; ties count half. */
export function auc<E extends Labelled>(examples: readonly E[], scoreOf: (example: E) => number): number {
  const sorted = examples.map((one) => ({ ...one, score: scoreOf(one) })).sort((a, b) => a.score - b.score)
  let ranks = 0
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    while (to < sorted.length && sorted[to]?.score === sorted[from]?.score) to++
    ranks += sorted.slice(from, to).filter((one) => one.isShift).length * ((from + to + 1) / 2)
  }
  const shifts = sorted.filter((one) => one.isShift).length
  return (ranks - (shifts * (shifts + 1)) / 2) / (shifts * (sorted.length - shifts))
}

export function bestThreshold<E extends Labelled>(examples: readonly E[], scoreOf: (example: E) => number): number {
  const scored = examples
    .map((one) => ({ score: scoreOf(one), isShift: one.isShift }))
    .sort((a, b) => b.score - a.score)
  const shifts = scored.filter((one) => one.isShift).length
  let best = { threshold: 0, f1: -1 }
  let hits = 0
  for (const [i, one] of scored.entries()) {
    if (one.isShift) hits++
    const f1 = (2 * hits) / (i + 1 + shifts)
    if (f1 > best.f1) best = { threshold: one.score, f1 }
  }
  return best.threshold
}

/**
 * F1 counts the boundaries of all dialogues. Pk (Beeferman 1999) and WindowDiff (Pevzner and Hearst 2002) are means
 * over dialogues.
 */
export function agreement(truths: readonly (readonly boolean[])[], cuts: readonly (readonly boolean[])[]) {
  const pairs = truths.map((shifts, i) => [shifts, cuts[i] ?? []] as const)
  const flat = pairs.flatMap(([truth, guess]) => truth.map((isShift, i) => [isShift, guess[i] ?? false] as const))
  const hits = flat.filter(([isShift, isCut]) => isShift && isCut).length
  const cutCount = flat.filter(([, isCut]) => isCut).length
  const shiftCount = flat.filter(([isShift]) => isShift).length
  const errors = pairs.map(([truth, guess]) => windowErrors(truth, guess))
  return {
    F1: rounded((2 * hits) / (cutCount + shiftCount)),
    precision: rounded(hits / cutCount),
    recall: rounded(hits / shiftCount),
    Pk: rounded(mean(errors.map(({ pk }) => pk))),
    WindowDiff: rounded(mean(errors.map(({ windowDiff }) => windowDiff))),
  }
}

/** Moves a probe of half the true mean segment length, at least 2, and counts the boundaries between its ends. */
function windowErrors(truth: readonly boolean[], guess: readonly boolean[]) {
  const segments = 1 + truth.filter(Boolean).length
  const probe = Math.max(2, Math.round(truth.length / segments / 2))
  const places = Math.max(1, truth.length - probe)
  let [pk, windowDiff] = [0, 0]
  for (let i = 0; i < places; i++) {
    const [there, found] = [truth, guess].map((cuts) => cuts.slice(i + 1, i + 1 + probe).filter(Boolean).length)
    if ((there === 0) !== (found === 0)) pk++
    if (there !== found) windowDiff++
  }
  return { pk: pk / places, windowDiff: windowDiff / places }
}

export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
