/**
 * Evaluates recall on a benchmark: every question goes to recall with its defaults and to the baselines. On request,
 * weights are learned from this data and from another benchmark's; each conversation is then measured with weights
 * learned without it.
 */
import { writeFile } from 'node:fs/promises'
import { LoomlogError } from '@loomlog/errors'
import type { FeaturedCandidates } from '@loomlog/recall/rank-utterances'
import { type LearnedWeights, learnedWeights } from '@loomlog/recall/weights'
import { learnWeights, learnWithoutEach } from '../../learn/recall/learn-weights.ts'
import { type JudgedQuestion, trainingSetOf } from '../../learn/recall/training-set.ts'
import { byScore } from './baselines.ts'
import type { Benchmark } from './benchmark.ts'
import { cachedSearches } from './candidate-cache.ts'
import { type Dataset, fingerprintOf, type Question } from './dataset.ts'
import { leaveOneOut, linearScores } from './linear.ts'
import { outputWith } from './loomlog-method.ts'
import {
  hasAnswer,
  type Item,
  type MethodOutput,
  measuresOf,
  packWhole,
  type ScoredQuestion,
  scoresOf,
} from './measures.ts'
import { openMemory } from './memory.ts'
import { messageOf } from './message-of.ts'
import { loomlogMethod, spreadOf, spreadText, tableOf } from './table.ts'

const linear = 'linear score, left-out weights'
const oursWhole = `${loomlogMethod}, packed whole`
const withoutCache = `${loomlogMethod}, without the space cache`

export interface SearchedQuestion extends JudgedQuestion {
  readonly linearFeatures: readonly (readonly number[])[]
  /** The turns, in the order of the rows of linear features. */
  readonly items: readonly Item[]
  /** By method. */
  readonly outputs: Map<string, MethodOutput>
  /** Recall by searches of the tables; only on request. */
  readonly uncached?: FeaturedCandidates
}

export interface SearchResults {
  readonly benchmark: Benchmark
  readonly dataset: Dataset
  readonly questions: readonly SearchedQuestion[]
}

/**
 * Ingests the data into the folder, and finds the candidates of every question.
 * @param further also searches without the space cache
 */
export async function searchAll(
  benchmark: Benchmark,
  path: string,
  dir: string,
  further: 'uncached' | null = null,
): Promise<SearchResults> {
  const dataset = benchmark.read(path)
  await benchmark.ingest(dataset, path, dir)
  const memory = await openMemory(dir)
  const tables = further === null ? null : await openMemory(dir, 'tables')
  try {
    const all: SearchedQuestion[] = []
    for (const sample of dataset.samples) {
      const baselines = benchmark.baselinesOf(sample)
      const questions = sample.questions.filter((question) => question.gold.length > 0 || !hasAnswer(question))
      const space = benchmark.spaceOf(sample.id)
      const searches = await cachedSearches(sample, questions, space, dir, memory)
      const uncached = tables === null ? [] : await cachedSearches(sample, questions, space, dir, tables)
      for (const [at, { cosines, featured }] of searches.entries()) {
        const question = questions[at] as Question
        const rankings = Object.entries(baselines.rankings(question, cosines))
        const outputs = new Map<string, MethodOutput>(rankings.map(([name, ranked]) => [name, { ranked }]))
        const linearFeatures = baselines.linear?.(question, cosines) ?? []
        const inTables = uncached[at] && { uncached: uncached[at].featured }
        all.push({ question, items: baselines.items, linearFeatures, featured, outputs, ...inTables })
      }
      console.error(`${benchmark.name} ${sample.id}: ${questions.length} questions`)
    }
    return { benchmark, dataset, questions: all }
  } finally {
    await memory.close()
    await tables?.close()
  }
}

export type WeightsOf = (sample: string) => LearnedWeights

/**
 * `learn`: learns the weights from the data, and writes them to the file. `unlearned`: learns them in the same way
 * without writing. `shipped`: uses the shipped weights.
 */
export type WeightSource = { readonly learn: string } | 'unlearned' | 'shipped'

/**
 * For each sample, weights learned without it; with `shipped`, the shipped weights.
 * @param beside further data to learn from
 */
export async function weightsFor(
  { benchmark, dataset, questions }: SearchResults,
  beside: readonly SearchResults[],
  source: WeightSource,
): Promise<WeightsOf> {
  if (source === 'shipped') {
    console.log(biasNote(dataset))
    return () => learnedWeights
  }
  const sets = [questions, ...beside.map((each) => each.questions)]
  if (dataset.samples.length + sets.length < 3) {
    throw new LoomlogError(
      'input-invalid',
      `${benchmark.name} has one conversation: expected two or more to learn from`,
    )
  }
  const trainingSet = trainingSetOf(sets)
  if (source !== 'unlearned') {
    const samples = [dataset, ...beside.map((each) => each.dataset)].flatMap((each) => each.samples)
    const learnedFrom = samples.map(fingerprintOf)
    const learned: LearnedWeights = { ...learnWeights(trainingSet), learnedFrom }
    await writeFile(source.learn, `${JSON.stringify(learned, null, 2)}\n`)
  }
  const left = dataset.samples.map(({ id }) => id)
  const learned = learnWithoutEach(trainingSet, left)
  return (sample) => learned.get(sample) ?? learnedWeights
}

/** Weights overestimate the quality on conversations that they were learned from. */
function biasNote({ samples }: Dataset): string {
  const known = samples.filter((sample) => learnedWeights.learnedFrom?.includes(fingerprintOf(sample))).length
  const note = `the shipped weights were learned from ${known} of these ${samples.length} conversations`
  return known === 0
    ? note
    : `${note}, so ${loomlogMethod} may do better here than elsewhere: with two or more, --unlearned measures each by weights learned without it`
}

/** Computes and prints the figures of all methods, by group of questions. */
export function figuresOf(searched: SearchResults, weightsOf: WeightsOf): object {
  const { benchmark, dataset, questions } = searched
  const evidence = evidenceCounts(questions)
  console.log(`${evidence.amongCandidates} of ${evidence.turns} evidence turns are among the candidates`)
  addOutputs(searched, weightsOf)
  const judged = questions.filter(({ question }) => question.gold.length > 0)
  const names = [...(judged[0]?.outputs.keys() ?? [])].sort(
    (a, b) => Number(a === loomlogMethod) - Number(b === loomlogMethod),
  )
  const scored = new Map(names.map((name) => [name, judged.map((each) => scoredQuestion(each, name))] as const))
  const methods = new Map([...scored].map(([name, of]) => [name, measuresOf(of, benchmark.groups)]))
  for (const group of benchmark.groups) console.log(`\n${tableOf(methods, group)}`)
  const all = benchmark.groups.at(-1) ?? ''
  const spread = spreadOf(scored, names.includes(linear) ? linear : null, all)
  console.log(`\n${loomlogMethod}, ${all}, mean and 95 %:\n${spreadText(spread)}`)
  const { droppedIds, withoutGold } = dataset
  console.log(
    `\n${judged.length} questions; ${droppedIds.length} evidence ids dropped, ${withoutGold.length} questions without gold`,
  )
  const counts = { conversations: dataset.samples.length, questions: questions.filter(isCounted).length, evidence }
  return { ...counts, methods: Object.fromEntries(methods), spread }
}

function isCounted({ question }: JudgedQuestion): boolean {
  return hasAnswer(question) && question.gold.length > 0
}

function evidenceCounts(all: readonly SearchedQuestion[]) {
  const present = all.filter(isCounted).flatMap(({ question, featured }) => {
    const ids = new Set(featured.candidates.map(({ memory }) => messageOf(memory.id)))
    return question.gold.map((id) => ids.has(id))
  })
  return { amongCandidates: present.filter(Boolean).length, turns: present.length }
}

/** The outputs of loomlog, and of the linear score, whose weights are learned on the other conversations. */
function addOutputs({ dataset, questions }: SearchResults, weightsOf: WeightsOf): void {
  const taught = questions.filter((each) => isCounted(each) && each.linearFeatures.length > 0)
  const linearWeights = leaveOneOut(
    taught.map(({ question: { sample, gold }, items, linearFeatures: features }) => {
      return { sample, gold: items.map(({ turns }) => turns.some((id) => gold.includes(id))), features }
    }),
  )
  for (const { question, items, linearFeatures, featured, outputs, uncached } of questions) {
    const weights = linearWeights.get(question.sample)
    if (weights !== undefined && dataset.samples.length > 1) {
      outputs.set(linear, { ranked: byScore(items, linearScores(linearFeatures, weights)) })
    }
    const own = weightsOf(question.sample)
    if (uncached !== undefined) outputs.set(withoutCache, outputWith(own, uncached, question.text))
    const output = outputWith(own, featured, question.text)
    outputs.set(oursWhole, packWhole(output, items))
    outputs.set(loomlogMethod, output)
  }
}

function scoredQuestion({ question, outputs }: SearchedQuestion, method: string): ScoredQuestion {
  const { sample, category, gold } = question
  return { sample, category, scores: scoresOf(gold, outputs.get(method) ?? { ranked: [] }) }
}

/** The scores of each question under each method. */
export async function writeQuestions(path: string, { dataset, questions: all }: SearchResults): Promise<void> {
  const questions = all.map((each) => {
    const { sample, index, text, category, gold } = each.question
    const scores = Object.fromEntries([...each.outputs.keys()].map((name) => [name, scoredQuestion(each, name).scores]))
    return { sample, index, question: text, category, gold, scores }
  })
  const { droppedIds, withoutGold } = dataset
  await writeFile(path, `${JSON.stringify({ data: { droppedIds, withoutGold }, questions }, null, 2)}\n`)
}
