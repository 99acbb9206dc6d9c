/**
 * Evidence recall on conversations in LoCoMo's form: `npm run eval -- locomo --data FILE [--json FILE] [--dir DIR]`. The file is taken into
 * a memory as any user's is (in DIR, or a folder that is removed at the end), and every question is put to recall as it is by
 * default, beside the baselines. What the memory said is kept in DIR, so asking again takes seconds.
 *
 * `--learn FILE` learns recall's weights from the data and writes them; what is then measured on each conversation are weights learned
 * without it. `--unlearned` measures that without writing: for data that the weights were learned from. `--ablate` also shows what
 * recall is without each of its parts, learned again without it.
 *
 * `--answers COUNT`, with a model configured (LOOMLOG_MODEL), also puts so many questions, spread evenly, to the model: with recall's evidence
 * within 1,000 tokens, and with the whole conversation. Else no model is asked but by the stages that are configured with one.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { recall } from '@loomlog/recall/recall'
import { type LearnedWeights, learnedWeights } from '@loomlog/recall/weights'
import { ablate } from './locomo/ablate.ts'
import { toldApart, withSigns } from './locomo/answerable.ts'
import { fullContext, type Graded, graded, gradesOf } from './locomo/answers.ts'
import { baselineRankings, byScore, type Texts, textsOf } from './locomo/baselines.ts'
import { type Dataset, markOf, type Question, readDataset } from './locomo/dataset.ts'
import { heard } from './locomo/heard.ts'
import { leftOut, weightsFrom } from './locomo/learn.ts'
import { type Lesson, taughtBy } from './locomo/lessons.ts'
import { leaveOneOut, linearFeatures, linearScores } from './locomo/linear.ts'
import { groups, measured, type Scored, type Shown, scoresOf } from './locomo/measures.ts'
import { ingest, type Memory, openMemory, spaceOf } from './locomo/memory.ts'
import { shownBy } from './locomo/ours.ts'
import { ours, surenessOf, tableOf } from './locomo/table.ts'

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
  },
})
const file = values.data
if (!file) throw new LoomlogError('input-invalid', '--data is missing: expected the path of a LoCoMo file')
const dataset = readDataset(file)
/** Nothing can be learned without a conversation if there is no other. */
const isLone = dataset.samples.length < 2
if (isLone && (values.learn || values.unlearned || values.ablate)) {
  throw new LoomlogError('input-invalid', `${file} has one conversation: expected two or more to learn from`)
}
const dir = values.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-eval-')))
try {
  console.log(await ingest(file, dir))
  const memory = await openMemory(dir)
  try {
    const all = await ask(dataset, memory)
    await score(all)
    await report(all)
    if (values.answers) console.log(`\n${gradesOf(await answers(Number(values.answers), memory))}`)
  } finally {
    await memory.close()
  }
} finally {
  if (values.dir === undefined) await rm(dir, { recursive: true, force: true })
}

interface Asked extends Lesson {
  readonly texts: Texts
  readonly features: readonly (readonly number[])[]
  readonly shown: Map<string, Shown>
}

async function ask({ samples }: Dataset, memory: Memory): Promise<readonly Asked[]> {
  const all: Asked[] = []
  for (const sample of samples) {
    const texts = textsOf(sample)
    const questions = sample.questions.filter(({ gold }) => gold.length > 0)
    const answers = await heard(sample, questions, dir, memory)
    for (const [at, { cosines, found }] of answers.entries()) {
      const question = questions[at] as Question
      const rankings = Object.entries(baselineRankings(texts, question, cosines))
      const shown = new Map<string, Shown>(rankings.map(([name, ranked]) => [name, { ranked }]))
      all.push({ question, texts, features: linearFeatures(texts, question, cosines), found, shown })
    }
    console.error(`${sample.id}: ${questions.length} questions`)
  }
  return all
}

async function score(all: readonly Asked[]): Promise<void> {
  const taught = all.filter(({ question }) => question.category !== '5')
  const linearWeights = leaveOneOut(
    taught.map(({ question: { sample, gold }, texts, features }) => {
      return { sample, gold: texts.turns.map(({ id }) => gold.includes(id)), features }
    }),
  )
  const found = taught.flatMap((asked) => {
    const ids = new Set(asked.found.candidates.map(({ memory }) => memory.id))
    return asked.question.gold.map((id) => ids.has(id))
  })
  console.log(`${found.filter(Boolean).length} of ${found.length} evidence turns are among the candidates`)
  const own = values.learn || values.unlearned ? learnedWithout(all) : null
  const weightsOf = (sample: string) => own?.get(sample) ?? learnedWeights
  console.log(toldApart(all, weightsOf))
  for (const { question, texts, features, found, shown } of all) {
    const { sample, text } = question
    const weights = linearWeights.get(sample) ?? []
    if (!isLone) shown.set(linear, { ranked: byScore(texts.items, linearScores(features, weights)) })
    shown.set(ours, shownBy(weightsOf(sample), found, text))
  }
  if (values.learn) {
    const learned: LearnedWeights = {
      ...withSigns(weightsFrom(taughtBy(all)), all),
      learnedFrom: dataset.samples.map(markOf),
    }
    await writeFile(values.learn, `${JSON.stringify(learned, null, 2)}\n`)
  }
  if (own === null) console.log(seenBefore(dataset))
  if (isLone) console.log(`the ${linear} can't be learned: there is no other conversation`)
  if (values.ablate) ablate(all)
}

/** Weights are honest where they have never seen what they are measured on. */
function seenBefore({ samples }: Dataset): string {
  const seen = samples.filter((sample) => learnedWeights.learnedFrom?.includes(markOf(sample))).length
  const named = `the shipped weights were learned from ${seen} of these ${samples.length} conversations`
  return seen === 0
    ? named
    : `${named}, so ${ours} may do better here than elsewhere: with two or more, --unlearned measures each by weights learned without it`
}

/** For each sample, what is learned from the others. */
function learnedWithout(all: readonly Asked[]): ReadonlyMap<string, LearnedWeights> {
  const others = (sample: string) => all.filter(({ question }) => question.sample !== sample)
  return new Map([...leftOut(taughtBy(all))].map(([sample, weights]) => [sample, withSigns(weights, others(sample))]))
}

async function answers(count: number, memory: Memory): Promise<ReadonlyMap<string, readonly Graded[]>> {
  const { model } = memory
  if (!Number.isInteger(count) || count < 1) {
    throw new LoomlogError('input-invalid', `--answers is ${values.answers}: expected a whole number from 1`)
  }
  if (model === null) throw new LoomlogError('config-invalid', '--answers needs a model: set LOOMLOG_MODEL')
  const questions = dataset.samples.flatMap(({ id, turns, questions }) =>
    questions.map((question) => ({ question, turns, space: spaceOf(id) })),
  )
  const every = Math.max(1, Math.floor(questions.length / count))
  const recalled: Graded[] = []
  const whole: Graded[] = []
  for (const { question, turns, space } of questions.filter((_, at) => at % every === 0).slice(0, count)) {
    const { items } = await recall({ space, query: question.text, budgetTokens: answerTokens }, memory)
    recalled.push(await graded(question, items, model))
    whole.push(await graded(question, fullContext(turns), model))
  }
  return new Map([
    [ours, recalled],
    ['full context', whole],
  ])
}

async function report(all: readonly Asked[]): Promise<void> {
  const names = [...(all[0]?.shown.keys() ?? [])].sort((a, b) => Number(a === ours) - Number(b === ours))
  const scored = new Map<string, readonly Scored[]>(
    names.map((name) => [
      name,
      all.map(({ question, shown }) => {
        const { sample, category, gold } = question
        return { sample, category, scores: scoresOf(gold, shown.get(name) ?? { ranked: [] }) }
      }),
    ]),
  )
  const methods = new Map([...scored].map(([name, of]) => [name, measured(of)]))
  for (const group of groups) console.log(`\n${tableOf(methods, group)}`)
  console.log(`\n${ours}, categories 1 to 4, mean and 95 %:\n${surenessOf(scored, isLone ? null : linear)}`)
  const { droppedIds, withoutGold } = dataset
  console.log(
    `\n${all.length} questions; ${droppedIds.length} evidence ids dropped, ${withoutGold.length} questions without gold`,
  )
  if (!values.json) return
  const questions = all.map(({ question }, at) => {
    const scores = Object.fromEntries([...scored].map(([name, of]) => [name, of[at]?.scores]))
    const { sample, index, text, category, gold } = question
    return { sample, index, question: text, category, gold, scores }
  })
  const result = { data: { droppedIds, withoutGold }, methods: Object.fromEntries(methods), questions }
  await writeFile(values.json, `${JSON.stringify(result, null, 2)}\n`)
}
