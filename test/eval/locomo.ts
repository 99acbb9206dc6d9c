/**
 * Evidence recall on conversations in LoCoMo's form: `npm run eval -- locomo --data FILE [--json FILE] [--dir DIR]`. The file is ingested
 * into a memory in DIR (without it, in a temporary folder), and every question is put to recall with its defaults and to the baselines. DIR
 * caches the candidates of every question, so that the next run takes seconds.
 *
 * `--learn FILE` learns recall's weights from the data and writes them; each conversation is then measured with weights learned without it.
 * `--unlearned` measures so without writing: for data that the shipped weights were learned from. `--ablate` also measures recall without
 * each of its parts. `--questions FILE` writes the scores of each question.
 *
 * `--answers COUNT` puts this number of questions, evenly spread, to the model of LOOMLOG_MODEL: with recall's evidence within 1,000 tokens,
 * and with the whole conversation. Otherwise only stages that are configured with a model call one.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { recall } from '@loomlog/recall/recall'
import { type LearnedWeights, learnedWeights } from '@loomlog/recall/weights'
import { writeResult } from '../figures/result.ts'
import { ablate } from './locomo/ablate.ts'
import { fullContext, type GradedAnswer, graded, gradesOf } from './locomo/answers.ts'
import { baselineRankings, byScore, type Texts, textsOf } from './locomo/baselines.ts'
import { cachedSearches } from './locomo/candidate-cache.ts'
import { type Dataset, fingerprintOf, type Question, readDataset } from './locomo/dataset.ts'
import { answerableQuality, answerableText, withAnswerable } from './locomo/learn-answerable.ts'
import { learnWeights, learnWithoutEach } from './locomo/learn-weights.ts'
import { leaveOneOut, linearFeatures, linearScores } from './locomo/linear.ts'
import { outputWith } from './locomo/loomlog-method.ts'
import { groups, type MethodOutput, measured, type ScoredQuestion, scoresOf } from './locomo/measures.ts'
import { ingest, type Memory, openMemory, spaceOf } from './locomo/memory.ts'
import { ours, spreadOf, spreadText, tableOf } from './locomo/table.ts'
import { type JudgedQuestion, trainingSetOf } from './locomo/training-set.ts'

const linear = 'linear score, left-out weights'
/** Of the evidence that a model answers from. */
const answerTokens = 1_000

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    json: { type: 'string' },
    dir: { type: 'string' },
    learn: { type: 'string' },
    unlearned: { type: 'boolean' },
    ablate: { type: 'boolean' },
    answers: { type: 'string' },
    questions: { type: 'string' },
  },
})
const file = values.data
if (!file) throw new LoomlogError('input-invalid', '--data is missing: expected the path of a LoCoMo file')
const dataset = readDataset(file)
const isSingle = dataset.samples.length < 2
if (isSingle && (values.learn || values.unlearned || values.ablate)) {
  throw new LoomlogError('input-invalid', `${file} has one conversation: expected two or more to learn from`)
}
const dir = values.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-eval-')))
try {
  console.log(await ingest(file, dir))
  const memory = await openMemory(dir)
  try {
    const all = await search(dataset, memory)
    const weights = await weightsBySample(all)
    const figures = { ...candidateCounts(all), answerable: answerableOf(all, weights), ...measure(all, weights) }
    if (values.questions) await writeQuestions(values.questions, all)
    const ablation = values.ablate ? { ablation: ablate(all) } : {}
    await writeResult(values.json, 'eval -- locomo', { conversations: dataset.samples.length, ...figures, ...ablation })
    if (values.answers) console.log(`\n${gradesOf(await answers(Number(values.answers), memory))}`)
  } finally {
    await memory.close()
  }
} finally {
  if (values.dir === undefined) await rm(dir, { recursive: true, force: true })
}

interface SearchedQuestion extends JudgedQuestion {
  readonly texts: Texts
  readonly linearFeatures: readonly (readonly number[])[]
  /** By method. */
  readonly outputs: Map<string, MethodOutput>
}

async function search({ samples }: Dataset, memory: Memory): Promise<readonly SearchedQuestion[]> {
  const all: SearchedQuestion[] = []
  for (const sample of samples) {
    const texts = textsOf(sample)
    const questions = sample.questions.filter(({ gold }) => gold.length > 0)
    const searches = await cachedSearches(sample, questions, dir, memory)
    for (const [at, { cosines, featured }] of searches.entries()) {
      const question = questions[at] as Question
      const rankings = Object.entries(baselineRankings(texts, question, cosines))
      const outputs = new Map<string, MethodOutput>(rankings.map(([name, ranked]) => [name, { ranked }]))
      all.push({ question, texts, linearFeatures: linearFeatures(texts, question, cosines), featured, outputs })
    }
    console.error(`${sample.id}: ${questions.length} questions`)
  }
  return all
}

type WeightsOf = (sample: string) => LearnedWeights

/** Weights that never saw the sample, if they are learned here; else the shipped ones. */
async function weightsBySample(all: readonly SearchedQuestion[]): Promise<WeightsOf> {
  if (values.learn) {
    const learned: LearnedWeights = {
      ...withAnswerable(learnWeights(trainingSetOf(all)), all),
      learnedFrom: dataset.samples.map(fingerprintOf),
    }
    await writeFile(values.learn, `${JSON.stringify(learned, null, 2)}\n`)
  }
  if (!values.learn && !values.unlearned) {
    console.log(biasNote(dataset))
    return () => learnedWeights
  }
  const learned = new Map(
    [...learnWithoutEach(trainingSetOf(all))].map(([sample, weights]) => {
      const others = all.filter(({ question }) => question.sample !== sample)
      return [sample, withAnswerable(weights, others)] as const
    }),
  )
  return (sample) => learned.get(sample) ?? learnedWeights
}

/** Weights overestimate the quality on conversations that they were learned from. */
function biasNote({ samples }: Dataset): string {
  const known = samples.filter((sample) => learnedWeights.learnedFrom?.includes(fingerprintOf(sample))).length
  const note = `the shipped weights were learned from ${known} of these ${samples.length} conversations`
  return known === 0
    ? note
    : `${note}, so ${ours} may do better here than elsewhere: with two or more, --unlearned measures each by weights learned without it`
}

function candidateCounts(all: readonly SearchedQuestion[]): object {
  const answerableQuestions = all.filter(({ question }) => question.category !== '5')
  const present = answerableQuestions.flatMap(({ question, featured }) => {
    const ids = new Set(featured.candidates.map(({ memory }) => memory.id))
    return question.gold.map((id) => ids.has(id))
  })
  const amongCandidates = present.filter(Boolean).length
  console.log(`${amongCandidates} of ${present.length} evidence turns are among the candidates`)
  const evidence = { amongCandidates, turns: present.length }
  return { questions: answerableQuestions.length, evidence }
}

function answerableOf(all: readonly SearchedQuestion[], weightsOf: WeightsOf): object {
  const quality = answerableQuality(all, weightsOf)
  console.log(answerableText(quality))
  return quality
}

function measure(all: readonly SearchedQuestion[], weightsOf: WeightsOf): object {
  addOutputs(all, weightsOf)
  const names = [...(all[0]?.outputs.keys() ?? [])].sort((a, b) => Number(a === ours) - Number(b === ours))
  const scored = new Map(names.map((name) => [name, all.map((each) => scoredQuestion(each, name))] as const))
  const methods = new Map([...scored].map(([name, of]) => [name, measured(of)]))
  for (const group of groups) console.log(`\n${tableOf(methods, group)}`)
  const spread = spreadOf(scored, isSingle ? null : linear)
  console.log(`\n${ours}, categories 1 to 4, mean and 95 %:\n${spreadText(spread)}`)
  const { droppedIds, withoutGold } = dataset
  console.log(
    `\n${all.length} questions; ${droppedIds.length} evidence ids dropped, ${withoutGold.length} questions without gold`,
  )
  return { methods: Object.fromEntries(methods), spread }
}

/** The outputs of loomlog, and of the linear score, whose weights are learned on the other conversations. */
function addOutputs(all: readonly SearchedQuestion[], weightsOf: WeightsOf): void {
  const taught = all.filter(({ question }) => question.category !== '5')
  const linearWeights = leaveOneOut(
    taught.map(({ question: { sample, gold }, texts, linearFeatures: features }) => {
      return { sample, gold: texts.turns.map(({ id }) => gold.includes(id)), features }
    }),
  )
  for (const { question, texts, linearFeatures, featured, outputs } of all) {
    const { sample, text } = question
    const weights = linearWeights.get(sample) ?? []
    if (!isSingle) outputs.set(linear, { ranked: byScore(texts.items, linearScores(linearFeatures, weights)) })
    outputs.set(ours, outputWith(weightsOf(sample), featured, text))
  }
  if (isSingle) console.log(`the ${linear} can't be learned: there is no other conversation`)
}

function scoredQuestion({ question, outputs }: SearchedQuestion, method: string): ScoredQuestion {
  const { sample, category, gold } = question
  return { sample, category, scores: scoresOf(gold, outputs.get(method) ?? { ranked: [] }) }
}

async function writeQuestions(path: string, all: readonly SearchedQuestion[]): Promise<void> {
  const questions = all.map((each) => {
    const { sample, index, text, category, gold } = each.question
    const scores = Object.fromEntries([...each.outputs.keys()].map((name) => [name, scoredQuestion(each, name).scores]))
    return { sample, index, question: text, category, gold, scores }
  })
  const { droppedIds, withoutGold } = dataset
  await writeFile(path, `${JSON.stringify({ data: { droppedIds, withoutGold }, questions }, null, 2)}\n`)
}

async function answers(count: number, memory: Memory): Promise<ReadonlyMap<string, readonly GradedAnswer[]>> {
  const { model } = memory
  if (!Number.isInteger(count) || count < 1) {
    throw new LoomlogError('input-invalid', `--answers is ${values.answers}: expected a whole number from 1`)
  }
  if (model === null) throw new LoomlogError('config-invalid', '--answers needs a model: set LOOMLOG_MODEL')
  const questions = dataset.samples.flatMap(({ id, turns, questions }) =>
    questions.map((question) => ({ question, turns, space: spaceOf(id) })),
  )
  const interval = Math.max(1, Math.floor(questions.length / count))
  const fromEvidence: GradedAnswer[] = []
  const fromAll: GradedAnswer[] = []
  for (const { question, turns, space } of questions.filter((_, at) => at % interval === 0).slice(0, count)) {
    const { items } = await recall({ space, query: question.text, budgetTokens: answerTokens }, memory)
    fromEvidence.push(await graded(question, items, model))
    fromAll.push(await graded(question, fullContext(turns), model))
  }
  return new Map([
    [ours, fromEvidence],
    ['full context', fromAll],
  ])
}
