/**
 * The share of one feature in a memory's score: a value times a weight. An explained recall lists them, grouped by
 * part.
 */

/** The parts of recall that features belong to. Explanations and ablations group by them. */
export const featureParts = [
  'conversation',
  'neighbours',
  'facts',
  'events',
  'meaning',
  'speaker',
  'wants',
  'words',
  'form',
] as const
export type FeaturePart = (typeof featureParts)[number]

export interface Contribution {
  /** The name of the feature. */
  readonly feature: string
  readonly part: FeaturePart
  readonly value: number
  readonly weight: number
}

export function sumOf(contributions: readonly Contribution[]): number {
  return contributions.reduce((sum, { value, weight }) => sum + value * weight, 0)
}
