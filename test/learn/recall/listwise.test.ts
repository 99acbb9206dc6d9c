import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../seeded-random.ts'
import { fitListwise, type QueryGroup, scoresOf } from './listwise.ts'

const penalty = 1e-3

/**
 * Rows of three numbers: the first is higher for evidence, the second is random, and the third is the same for all
 * candidates of a question.
 */
function queryGroups(): readonly QueryGroup[] {
  const random = seededRandom(1)
  return Array.from({ length: 60 }, () => {
    const common = 5 * random()
    const isEvidence = [true, true, false, false, false, false]
    const rows = isEvidence.map((is) => Float64Array.of(random() + (is ? 0.6 : 0), random(), common))
    return { rows, isEvidence, counts: isEvidence.map(() => 1), weight: random() / 60 }
  })
}

const lossOf = (all: readonly QueryGroup[], weights: readonly number[]) => {
  let sum = 0
  for (const queryGroup of all) {
    const scores = scoresOf(queryGroup, weights)
    const others = scores.reduce((total, score, at) => total + (queryGroup.isEvidence[at] ? 0 : Math.exp(score)), 0)
    for (const [at, score] of scores.entries()) {
      if (!queryGroup.isEvidence[at]) continue
      sum += queryGroup.weight * Math.log(1 + others / Math.exp(score))
    }
  }
  return sum + (penalty / 2) * weights.reduce((squares, weight) => squares + weight ** 2, 0)
}

test('the fit has the minimum loss, and a property shared by all candidates of a question gets no weight', () => {
  const all = queryGroups()
  const fitted = fitListwise(all, penalty, [0, 0, 0])
  const least = lossOf(all, fitted)
  for (const i of fitted.keys()) {
    for (const step of [-0.05, 0.05]) {
      const beside = fitted.map((weight, at) => (at === i ? weight + step : weight))
      assert.ok(lossOf(all, beside) > least, `weight ${i}, ${step}`)
    }
  }
  assert.ok((fitted[0] ?? 0) > 3 && Math.abs(fitted[2] ?? 1) < 1e-6, String(fitted))
})

test('a row that counts for several candidates has the weight of all of them', () => {
  const [one] = queryGroups()
  assert.ok(one)
  const twice = [...one.rows, ...one.rows.slice(2)]
  const alike: QueryGroup = {
    rows: twice,
    isEvidence: twice.map((_, at) => at < 2),
    counts: twice.map(() => 1),
    weight: 0.5,
  }
  const counted: QueryGroup = { ...one, counts: [1, 1, 2, 2, 2, 2], weight: 0.5 }
  const [a, b] = [fitListwise([alike], 0.1, [0, 0, 0]), fitListwise([counted], 0.1, [0, 0, 0])]
  for (const [at, value] of a.entries()) assert.ok(Math.abs(value - (b[at] ?? 0)) < 1e-6)
})
