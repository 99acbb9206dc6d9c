/**
 * The probability that a line opens a box, in two steps. The raw score is a logistic model over the features of a gap.
 * The score corrects it by its neighbours and by the raw scores of the conversation so far, since conversations change
 * their subject at different rates: one threshold then fits them all.
 */
import { type Features, gapFeatures, relativeFeatures, usualSimilarities } from './shift-features.ts'
import { rawWeights, scoreWeights } from './shift-weights.ts'
import type { GapStatistics, LineReading } from './state.ts'

/** A conversation begins with this many usual gaps, so that its first ones are not compared with nothing. */
const usualGaps = 4
const usualRaw = -1.8
const usualShare = 0.17
/** The raw score of a gap that does not exist. */
const noGap = -3
const mostLinesSince = 8

export const noStatistics: GapStatistics = {
  gaps: 0,
  sums: relativeFeatures.map(() => 0),
  squares: relativeFeatures.map(() => 0),
  scored: 0,
  raws: 0,
  shares: 0,
  earlier: [],
  linesSince: 0,
}

/** A gap or a pause drops the neighbours; the sums over the conversation stay. */
export function afterSilence(statistics: GapStatistics): GapStatistics {
  return { ...statistics, earlier: [], linesSince: 0 }
}

/** The features of the gap before `at`, also relative to the conversation. The returned statistics includes the gap. */
export function rawFeatures(
  readings: readonly LineReading[],
  at: number,
  statistics: GapStatistics,
): { readonly features: Features; readonly statistics: GapStatistics } {
  const own = gapFeatures({ readings, at })
  const value = (name: string) => own[name] ?? 0
  const sums = relativeFeatures.map((name, i) => (statistics.sums[i] ?? 0) + value(name))
  const squares = relativeFeatures.map((name, i) => (statistics.squares[i] ?? 0) + value(name) ** 2)
  const gaps = statistics.gaps + 1
  const compared = relativeFeatures.flatMap((name, i) => {
    const [usualMean, usualDeviation] = usualSimilarities[name]
    const mean = ((sums[i] ?? 0) + usualGaps * usualMean) / (gaps + usualGaps)
    const square = ((squares[i] ?? 0) + usualGaps * (usualMean ** 2 + usualDeviation ** 2)) / (gaps + usualGaps)
    const deviation = Math.sqrt(Math.max(1e-4, square - mean ** 2))
    return [
      [`${name}.relative`, clip((value(name) - mean) / deviation, 3) / 3],
      [`${name}.mean`, mean],
      [`${name}.deviation`, deviation],
    ] as const
  })
  return { features: { ...own, ...Object.fromEntries(compared) }, statistics: { ...statistics, gaps, sums, squares } }
}

export function rawScore(features: Features): number {
  return weightedSum(rawWeights, features)
}

/**
 * The features of the score. The returned statistics includes the raw score.
 *
 * @param next the raw score of the next gap; null at the end of a stretch
 */
export function scoreFeatures(
  raw: number,
  next: number | null,
  before: GapStatistics,
): { readonly features: Features; readonly statistics: GapStatistics } {
  const scored = before.scored + 1
  const raws = before.raws + raw
  const shares = before.shares + probability(raw)
  const mean = (raws + usualGaps * usualRaw) / (scored + usualGaps)
  const share = (shares + usualGaps * usualShare) / (scored + usualGaps)
  const [last = noGap, older = noGap] = before.earlier
  const features = {
    raw,
    aboveNeighbours: clip(raw - Math.max(last, next ?? noGap), 3),
    aboveOlder: clip(raw - older, 3),
    aboveMean: raw - mean,
    mean,
    share,
    rawByShare: share * raw,
    logShare: Math.log(share),
    linesSince: Math.min(mostLinesSince, before.linesSince) / mostLinesSince,
    meanIfLong: Math.min(1, scored / 20) * mean,
  }
  const earlier = [raw, ...before.earlier].slice(0, 2)
  const linesSince = raw > 0 ? 1 : before.linesSince + 1
  return { features, statistics: { ...before, scored, raws, shares, earlier, linesSince } }
}

export function shiftScore(features: Features): number {
  return probability(weightedSum(scoreWeights, features))
}

function weightedSum(weights: Features, features: Features): number {
  return Object.entries(weights).reduce(
    (sum, [name, weight]) => sum + weight * (features[name] ?? 0),
    weights.bias ?? 0,
  )
}

function probability(logit: number): number {
  return 1 / (1 + Math.exp(-logit))
}

function clip(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value))
}
