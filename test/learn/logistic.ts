/**
 * Logistic regression with an L2 penalty: by Newton's method for few features, by gradient descent for many sparse
 * ones. Deterministic.
 */

export interface WeightedRow {
  readonly features: readonly number[]
  readonly isPositive: boolean
  readonly weight: number
}

const maxRounds = 40
/** The fit stops after a round that gains less than this, and no step is shorter. */
const leastGain = 1e-9
const leastStep = 1e-4

/**
 * Newton's method (iteratively reweighted least squares), with the mean loss and a penalty on all weights except the
 * bias. With few positives, a whole step may overshoot and never recover, so it is halved until it gains.
 *
 * @param start weights near the optimum save rounds
 */
export function fit(examples: readonly WeightedRow[], penalty = 1e-3, start: readonly number[] = []): number[] {
  const size = examples[0]?.features.length ?? 0
  const data = {
    size,
    penalty,
    rows: examples.map(({ features }) => new Float64Array(features)),
    isPositive: examples.map(({ isPositive }) => Number(isPositive)),
    weights: shares(examples.map(({ weight }) => weight)),
  }
  let found: readonly number[] = Array.from({ length: size }, (_, i) => start[i] ?? 0)
  let lossNow = loss(data, found)
  for (let round = 0; round < maxRounds; round++) {
    const change = solve(newtonSystem(data, found))
    const stepped = (step: number) => found.map((value, i) => value + step * (change[i] ?? 0))
    let step = 1
    while (loss(data, stepped(step)) > lossNow && step > leastStep) step /= 2
    const next = loss(data, stepped(step))
    if (next > lossNow) break
    found = stepped(step)
    if (lossNow - next < leastGain) break
    lossNow = next
  }
  return [...found]
}

/** A row's features that are not 0, with their values. */
export interface SparseRow {
  readonly features: readonly (readonly [feature: number, value: number])[]
  readonly isPositive: boolean
}

/**
 * Accelerated gradient descent, for many features of which each row has few. The length of a row is about 2 at most, so
 * a step of 1 never overshoots. The result leaves out the bias.
 */
export function fitSparse(
  examples: readonly SparseRow[],
  { size, penalty, rounds = 400 }: { readonly size: number; readonly penalty: number; readonly rounds?: number },
): readonly number[] {
  const bias = size
  const rows = examples.map(({ features, isPositive }) => ({ row: [...features, [bias, 1] as const], isPositive }))
  let found = new Float64Array(size + 1)
  let ahead = new Float64Array(size + 1)
  const stiffness = Math.sqrt(penalty)
  const momentum = (1 - stiffness) / (1 + stiffness)
  for (let round = 0; round < rounds; round++) {
    const slope = Float64Array.from(ahead, (value, i) => (i === bias ? 0 : penalty * value))
    for (const { row, isPositive } of rows) {
      const score = row.reduce((sum, [feature, value]) => sum + value * (ahead[feature] as number), 0)
      const pull = (1 / (1 + Math.exp(-score)) - Number(isPositive)) / rows.length
      for (const [feature, value] of row) slope[feature] = (slope[feature] as number) + pull * value
    }
    const next = ahead.map((value, i) => value - (slope[i] as number))
    ahead = next.map((value, i) => value + momentum * (value - (found[i] as number)))
    found = next
  }
  return [...found.subarray(0, size)]
}

function shares(values: readonly number[]): readonly number[] {
  const total = values.reduce((sum, value) => sum + value, 0)
  return values.map((value) => value / total)
}

interface Data {
  readonly size: number
  readonly penalty: number
  readonly rows: readonly Float64Array[]
  readonly isPositive: readonly number[]
  readonly weights: readonly number[]
}

function loss({ penalty, rows, isPositive, weights }: Data, found: readonly number[]): number {
  const at = Float64Array.from(found)
  let sum = at.reduce((squares, value, i) => (i === 0 ? 0 : squares + (penalty / 2) * value * value), 0)
  for (const [n, row] of rows.entries()) {
    const score = product(row, at)
    // log(1 + e^score), for a score of any size.
    const against = Math.max(0, score) + Math.log1p(Math.exp(-Math.abs(score)))
    sum += (weights[n] as number) * (against - (isPositive[n] as number) * score)
  }
  return sum
}

function product(row: Float64Array, at: Float64Array): number {
  let sum = 0
  for (let i = 0; i < at.length; i++) sum += (row[i] as number) * (at[i] as number)
  return sum
}

/**
 * A row for each feature: the Hessian of the penalised loss at `found`, and, as the last column, the negative gradient.
 */
function newtonSystem({ size, penalty, rows, isPositive, weights }: Data, found: readonly number[]): number[][] {
  const curvature = new Float64Array(size * size)
  const slope = new Float64Array(size)
  const at = Float64Array.from(found)
  for (const [n, row] of rows.entries()) {
    const p = 1 / (1 + Math.exp(-product(row, at)))
    const weight = weights[n] as number
    const pull = weight * ((isPositive[n] as number) - p)
    const curve = weight * p * (1 - p)
    for (let i = 0; i < size; i++) {
      const x = row[i] as number
      if (x === 0) continue
      slope[i] = (slope[i] as number) + pull * x
      // Symmetric: the lower half is filled in afterwards.
      const scaled = curve * x
      for (let j = i; j < size; j++) {
        curvature[i * size + j] = (curvature[i * size + j] as number) + scaled * (row[j] as number)
      }
    }
  }
  return found.map((value, i) => {
    const penalised = i === 0 ? 0 : penalty
    const row = found.map((_, j) => curvature[Math.min(i, j) * size + Math.max(i, j)] ?? 0)
    row[i] = (row[i] ?? 0) + penalised
    return [...row, (slope[i] ?? 0) - penalised * value]
  })
}

/**
 * Gauss-Jordan; the matrix is symmetric and positive definite, so its diagonal never vanishes. The last column is the
 * right side.
 */
export function solve(system: number[][]): number[] {
  for (const [i, pivot] of system.entries()) {
    for (const [k, row] of system.entries()) {
      if (k === i) continue
      const factor = (row[i] ?? 0) / (pivot[i] ?? 1)
      for (let j = i; j < row.length; j++) row[j] = (row[j] ?? 0) - factor * (pivot[j] ?? 0)
    }
  }
  return system.map((row, i) => (row.at(-1) ?? 0) / (row[i] ?? 1))
}

export function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
}
