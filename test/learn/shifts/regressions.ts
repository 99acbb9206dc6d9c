/**
 * Learns the weights of the shift score from conversations with known boundaries, and scores conversations with them.
 */
import type { Features } from '@loomlog/topic-loom/shift-features'
import { noStatistics, rawFeatures, scoreFeatures } from '@loomlog/topic-loom/shift-score'
import type { LineReading } from '@loomlog/topic-loom/state'
import { dot, fit } from '../logistic.ts'

/** A conversation, in the form that the score reads. */
export interface Subject {
  readonly readings: readonly LineReading[]
  readonly truth: readonly (boolean | null)[]
}

/** Conversations of one kind, with their joint weight. */
export interface TrainingSet {
  readonly weight: number
  readonly subjects: readonly Subject[]
}

export interface Weights {
  readonly raw: Features
  readonly score: Features
}

type Table = readonly (readonly Features[])[]

/** The penalties of the two regressions: the first has many features that resemble each other, the second few. */
const penalties = { raw: 3e-3, score: 1e-4 }

export function learnWeights(sets: readonly TrainingSet[]): Weights {
  const raws = sets.map(({ subjects }) => subjects.map(rawTable))
  const raw = regression(sets, raws, penalties.raw)
  const scores = raws.map((table) => table.map((rows) => scoreTable(rows.map((row) => product(raw, row)))))
  return { raw, score: regression(sets, scores, penalties.score) }
}

/** The logits of the gaps, one before every line except the first. */
export function logitsOf({ raw, score }: Weights, subject: Subject): readonly number[] {
  const raws = rawTable(subject).map((row) => product(raw, row))
  return scoreTable(raws).map((row) => product(score, row))
}

/** The features do not depend on the weights. */
const tables = new WeakMap<Subject, readonly Features[]>()

function rawTable(subject: Subject): readonly Features[] {
  const known = tables.get(subject) ?? rawRows(subject)
  tables.set(subject, known)
  return known
}

function rawRows({ readings }: Subject): readonly Features[] {
  let statistics = noStatistics
  return readings.slice(1).map((_, i) => {
    const found = rawFeatures(readings, i + 1, statistics)
    statistics = found.statistics
    return found.features
  })
}

function scoreTable(raws: readonly number[]): readonly Features[] {
  let statistics = noStatistics
  return raws.map((raw, i) => {
    const found = scoreFeatures(raw, raws[i + 1] ?? null, statistics)
    statistics = found.statistics
    return found.features
  })
}

/**
 * Standardises the features, so that the penalty means the same for each, and returns the weights of the original
 * features.
 */
function regression(sets: readonly TrainingSet[], tables: readonly Table[], penalty: number): Features {
  const names = Object.keys(tables[0]?.[0]?.[0] ?? {})
  const rows = sets.flatMap(({ weight, subjects }, which) => {
    const known = (tables[which] ?? []).flatMap((table, i) =>
      table.flatMap((features, gap) => {
        const isShift = subjects[i]?.truth[gap + 1]
        return typeof isShift === 'boolean' ? [{ values: names.map((name) => features[name] ?? 0), isShift }] : []
      }),
    )
    return known.map((row) => ({ ...row, weight: weight / known.length }))
  })
  const total = rows.reduce((sum, row) => sum + row.weight, 0)
  const mean = names.map((_, i) => rows.reduce((sum, row) => sum + row.weight * (row.values[i] ?? 0), 0) / total)
  const deviation = names.map((_, i) => {
    const square = rows.reduce((sum, row) => sum + row.weight * ((row.values[i] ?? 0) - (mean[i] ?? 0)) ** 2, 0) / total
    return Math.max(1e-3, Math.sqrt(square))
  })
  const examples = rows.map(({ values, isShift, weight }) => ({
    features: [1, ...values.map((value, i) => (value - (mean[i] ?? 0)) / (deviation[i] ?? 1))],
    isPositive: isShift,
    weight,
  }))
  const [bias = 0, ...found] = fit(examples, penalty)
  const weights = found.map((weight, i) => weight / (deviation[i] ?? 1))
  const plain = names.map((name, i) => [name, weights[i] ?? 0] as const)
  return { bias: bias - dot(weights, mean), ...Object.fromEntries(plain) }
}

function product(weights: Features, features: Features): number {
  return Object.entries(weights).reduce(
    (sum, [name, weight]) => sum + weight * (features[name] ?? 0),
    weights.bias ?? 0,
  )
}
