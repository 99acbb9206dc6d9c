/** Logistic regression with L2, by Newton's method: small, exact enough, and the same every time. */

export interface Weighted {
  readonly features: readonly number[]
  readonly isShift: boolean
  readonly weight: number
}

/** Logistic regression by Newton's method (iteratively reweighted least squares), with an L2 penalty on all but the bias, against the mean loss. */
export function fit(examples: readonly Weighted[], penalty = 1e-3): number[] {
  let found: readonly number[] = (examples[0]?.features ?? []).map(() => 0)
  for (let round = 0; round < 30; round++) {
    const change = solved(newtonSystem(examples, found, penalty))
    found = found.map((value, i) => value + (change[i] ?? 0))
    if (Math.max(...change.map(Math.abs)) < 1e-9) break
  }
  return [...found]
}

/** A row for each feature: the curvature of the penalised loss at `found`, and, as the last column, its slope downwards. */
function newtonSystem(examples: readonly Weighted[], found: readonly number[], penalty: number): number[][] {
  const size = found.length
  const total = examples.reduce((sum, one) => sum + one.weight, 0)
  const system = found.map((value, i) => {
    const row = [...found.map(() => 0), i === 0 ? 0 : -penalty * value]
    if (i > 0) row[i] = penalty
    return row
  })
  for (const { features, isShift, weight } of examples) {
    const p = 1 / (1 + Math.exp(-dot(found, features)))
    const curve = (weight / total) * p * (1 - p)
    const pull = (weight / total) * (Number(isShift) - p)
    for (const [i, row] of system.entries()) {
      const x = features[i] ?? 0
      for (let j = 0; x !== 0 && j < size; j++) row[j] = (row[j] ?? 0) + curve * x * (features[j] ?? 0)
      row[size] = (row[size] ?? 0) + pull * x
    }
  }
  return system
}

/** Gauss-Jordan; the matrix is symmetric and positive definite, so its diagonal never vanishes. The last column is the right side. */
function solved(system: number[][]): number[] {
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
