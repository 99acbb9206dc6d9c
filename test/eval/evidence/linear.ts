/**
 * The linear score, the strongest baseline: a bias and 28 features of each turn, with weights from a logistic
 * regression of the evidence against the other turns, learned on the other conversations only.
 */
import { terms } from '@loomlog/language/terms'
import { dot, fit } from '../../learn/logistic.ts'
import { smoothScores, type Texts } from './baselines.ts'
import type { Question } from './dataset.ts'

/** For one question, the row of every turn: 1 for the bias, then the features. */
export function linearFeatures(texts: Texts, question: Question, cosines: readonly number[]): number[][] {
  const query = terms(question.text)
  const session = texts.session(query)
  const bySession = texts.sessionOf.map((at) => session[at] ?? 0)
  const best = texts.sessions.map((places) => Math.max(...places.map((place) => cosines[place] ?? 0)))
  const scores = [
    texts.turn(query),
    texts.dated(query),
    texts.near(query),
    texts.around(query),
    bySession,
    cosines,
    smoothScores(texts, cosines, 1),
    smoothScores(texts, cosines, 3),
    texts.sessionOf.map((at) => best[at] ?? 0),
    neighbour(texts, texts.turn(query), -1),
    neighbour(texts, texts.turn(query), 1),
  ]
  const scaled = scores.flatMap((values) => [standard(values), shareOfMost(values)])
  return texts.turns.map((turn, at) => {
    const [first, named] = namesIn(question.text, turn.speaker, texts)
    return [
      1,
      ...scaled.map((values) => values[at] ?? 0),
      first,
      named,
      Math.log(1 + turn.words.length),
      Number(turn.words.includes('?')),
      Number(texts.sessions[texts.sessionOf[at] ?? 0]?.[0] === at),
      cosines[at] ?? 0,
    ]
  })
}

/** Whether the question names this speaker, and whether it names only another one. */
function namesIn(question: string, speaker: string, { turns }: Texts): readonly [number, number] {
  const words = new Set(terms(question))
  const isNamed = (name: string) => terms(name).some((term) => words.has(term))
  const others = turns.some((turn) => turn.speaker !== speaker && isNamed(turn.speaker))
  return [Number(isNamed(speaker)), Number(others && !isNamed(speaker))]
}

function neighbour({ sessionOf }: Texts, values: readonly number[], step: -1 | 1): number[] {
  return values.map((_, at) => (sessionOf[at + step] === sessionOf[at] ? (values[at + step] ?? 0) : 0))
}

function standard(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
  return values.map((value) => (spread === 0 ? 0 : (value - mean) / spread))
}

function shareOfMost(values: readonly number[]): number[] {
  const most = Math.max(...values, 0)
  return values.map((value) => (most === 0 ? 0 : Math.max(0, value) / most))
}

export interface LabelledTurns {
  readonly sample: string
  readonly gold: readonly boolean[]
  readonly features: readonly (readonly number[])[]
}

/** One in 8 of the turns that are not evidence is used, with 8 times the weight. */
const samplingInterval = 8
/** L2 penalty. It is small because evidence is rare, which makes the mean loss small. */
const penalty = 1e-4

/** Weights for each sample, learned without it. */
export function leaveOneOut(all: readonly LabelledTurns[]): ReadonlyMap<string, readonly number[]> {
  const samples = new Set(all.map(({ sample }) => sample))
  return new Map(
    [...samples].map((left) => [left, fit(examples(all.filter(({ sample }) => sample !== left)), penalty)]),
  )
}

function examples(taught: readonly LabelledTurns[]) {
  return taught.flatMap(({ features, gold }) =>
    features.flatMap((row, at) => {
      const isPositive = gold[at] ?? false
      if (!isPositive && at % samplingInterval !== 0) return []
      return [{ features: row, isPositive, weight: isPositive ? 1 : samplingInterval }]
    }),
  )
}

export function linearScores(features: readonly (readonly number[])[], weights: readonly number[]): number[] {
  return features.map((row) => dot(row, weights))
}
