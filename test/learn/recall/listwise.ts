/**
 * A listwise fit: weights that rank the evidence of a question before its other candidates. Each piece of evidence
 * competes with all candidates that are not evidence (softmax), with an L2 penalty, by Newton's method. A property that
 * all candidates of a question share has no effect.
 */
import { solve } from '../logistic.ts'

export interface QueryGroup {
  /** The features of each candidate. */
  readonly rows: readonly Float64Array[]
  readonly isEvidence: readonly boolean[]
  /** The number of candidates that each row counts for. */
  readonly counts: readonly number[]
  /** The weight of each piece of its evidence in the loss. */
  readonly weight: number
}

const maxRounds = 30
/** The fit stops after a round that gains less than this. A step is halved down to `leastStep`. */
const leastGain = 1e-6
const leastStep = 1e-2
const leastShare = 1e-6

/**
 * @param queryGroups whose weights, each times its pieces of evidence, add up to 1, so that the penalty means the same
 * for any data
 * @param start a start near the optimum saves rounds
 */
export function fitListwise(queryGroups: readonly QueryGroup[], penalty: number, start: readonly number[]): number[] {
  const lossAt = (weights: readonly number[]) => {
    const squares = weights.reduce((sum, value) => sum + value * value, 0)
    return queryGroups.reduce(
      (sum, queryGroup) => sum + queryGroup.weight * lossOf(queryGroup, weights),
      (penalty / 2) * squares,
    )
  }
  let found = start
  let lossNow = lossAt(found)
  for (let round = 0; round < maxRounds; round++) {
    const change = solve(newtonSystem(queryGroups, found, penalty))
    const stepped = (step: number) => found.map((value, i) => value + step * (change[i] ?? 0))
    let step = 1
    while (lossAt(stepped(step)) > lossNow && step > leastStep) step /= 2
    const next = lossAt(stepped(step))
    if (next > lossNow) break
    found = stepped(step)
    if (lossNow - next < leastGain) break
    lossNow = next
  }
  return [...found]
}

interface Chances {
  /** For each candidate, e to its score minus the highest score. */
  readonly powers: readonly number[]
  /** The sum over the candidates that are not evidence. */
  readonly others: number
}

function chancesOf({ rows, isEvidence, counts }: QueryGroup, weights: readonly number[]): Chances {
  const scores = rows.map((row) => product(row, weights))
  const most = scores.reduce((highest, score) => Math.max(highest, score), Number.NEGATIVE_INFINITY)
  const powers = scores.map((score) => Math.exp(score - most))
  const others = powers.reduce((sum, power, at) => sum + (isEvidence[at] ? 0 : power * (counts[at] ?? 1)), 0)
  return { powers, others }
}

function lossOf(queryGroup: QueryGroup, weights: readonly number[]): number {
  const { powers, others } = chancesOf(queryGroup, weights)
  return powers.reduce((sum, power, at) => sum + (queryGroup.isEvidence[at] ? Math.log(1 + others / power) : 0), 0)
}

function product(row: Float64Array, weights: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < row.length; i++) sum += (row[i] as number) * (weights[i] as number)
  return sum
}

/**
 * A row for each feature: the Hessian of the penalised loss and, as the last column, its negative gradient. With p the
 * softmax of a query group of one piece of evidence, the gradient is the evidence minus the mean under p, and the
 * Hessian is the covariance under p.
 */
function newtonSystem(queryGroups: readonly QueryGroup[], weights: readonly number[], penalty: number): number[][] {
  const size = weights.length
  const curvature = new Float64Array(size * size)
  const slope = new Float64Array(size)
  for (const queryGroup of queryGroups) addQueryGroup(queryGroup, weights, curvature, slope)
  return weights.map((weight, i) => {
    const row = weights.map((_, j) => curvature[Math.min(i, j) * size + Math.max(i, j)] ?? 0)
    row[i] = (row[i] ?? 0) + penalty
    return [...row, (slope[i] ?? 0) - penalty * weight]
  })
}

function addQueryGroup(
  queryGroup: QueryGroup,
  weights: readonly number[],
  curvature: Float64Array,
  slope: Float64Array,
): void {
  const { rows, isEvidence, counts, weight: scale } = queryGroup
  const { powers, others } = chancesOf(queryGroup, weights)
  const size = weights.length
  const mean = new Float64Array(size)
  const evidence = rows.filter((_, at) => isEvidence[at])
  const lost = powers.filter((_, at) => isEvidence[at]).map((power) => others / (others + power))
  const lostInAll = lost.reduce((sum, each) => sum + each, 0)
  for (const [at, row] of rows.entries()) {
    const share = isEvidence[at] ? 0 : ((powers[at] ?? 0) * (counts[at] ?? 1)) / others
    // A candidate with almost no probability adds nothing measurable.
    if (share < leastShare) continue
    addTo(mean, row, share)
    addSquare(curvature, row, scale * share * lostInAll)
  }
  addSquare(curvature, mean, -scale * lostInAll)
  for (const [at, row] of evidence.entries()) {
    const apart = row.map((value, i) => value - (mean[i] as number))
    const loss = lost[at] ?? 0
    addTo(slope, apart, scale * loss)
    // The difference between the evidence and the mean of the others.
    addSquare(curvature, apart, scale * loss * (1 - loss))
  }
}

function addTo(sum: Float64Array, row: Float64Array, factor: number): void {
  for (let i = 0; i < row.length; i++) sum[i] = (sum[i] as number) + factor * (row[i] as number)
}

/** The upper triangle of the row times itself. */
function addSquare(sum: Float64Array, row: Float64Array, factor: number): void {
  const size = row.length
  for (let i = 0; i < size; i++) {
    const scaled = factor * (row[i] as number)
    if (scaled === 0) continue
    for (let j = i; j < size; j++) sum[i * size + j] = (sum[i * size + j] as number) + scaled * (row[j] as number)
  }
}

export function scoresOf(queryGroup: QueryGroup, weights: readonly number[]): number[] {
  return queryGroup.rows.map((row) => product(row, weights))
}
