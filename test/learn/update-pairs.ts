/**
 * Learns which of two messages updates the other: `npm run eval -- corpus pairs --data test/corpus/learn [--dir DIR]
 * [--learn packages/recall/ranking/pair-weights.json]`. The pairs are those of the best candidates of every question,
 * and of the question of every marked change. A pair counts as an update if a change says so, over several changes too.
 * The figures are cross-validated by conversation: the precision of the surest distinct pairs shows whether they are
 * sure enough for a mark.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { maxCompared, pairFeatures, pairsOf, statementOf } from '@loomlog/recall/update-pairs'
import { learnedWeights, probabilities } from '@loomlog/recall/weights'
import { corpus } from '../eval/corpus/benchmark.ts'
import { type CorpusConversation, readCorpus, successorsOf } from '../eval/corpus/conversation.ts'
import type { Benchmark } from '../eval/evidence/benchmark.ts'
import type { Question } from '../eval/evidence/dataset.ts'
import { type SearchedQuestion, searchAll } from '../eval/evidence/evaluation.ts'
import { messageOf } from '../eval/evidence/message-of.ts'
import { dot, fit } from './logistic.ts'

interface Example {
  readonly sample: string
  readonly pair: string
  readonly features: readonly number[]
  readonly isUpdate: boolean
}

const folds = 5
/** Of the pairs that are no update, one in this number is used to learn, and counts for all. */
const samplingInterval = 6
const penalty = 1e-4
const digits = 5
const ranks = [10, 20, 40, 80, 160, 320]

const { values } = parseArgs({
  options: { data: { type: 'string' }, dir: { type: 'string' }, learn: { type: 'string' } },
})
const { data, learn } = values
if (!data) throw new LoomlogError('input-invalid', '--data is missing: expected a folder such as test/corpus/learn')
const dir = values.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-corpus-')))
try {
  const conversations = readCorpus(data)
  const { questions } = await searchAll(withChanges(conversations), data, dir)
  const examples = conversations.flatMap((each) => examplesOf(each, questions))
  report(examples, conversations)
  if (learn) {
    const [bias = 0, ...weights] = learnFrom(examples)
    const features = Object.fromEntries(pairFeatures.map((name, at) => [name, rounded(weights[at] ?? 0)]))
    await writeFile(learn, `${JSON.stringify({ bias: rounded(bias), features }, null, 2)}\n`)
  }
} finally {
  if (values.dir === undefined) await rm(dir, { recursive: true, force: true })
}

/** The corpus with the question of every change. */
function withChanges(conversations: readonly CorpusConversation[]): Benchmark {
  return {
    ...corpus,
    read(path) {
      const dataset = corpus.read(path)
      const samples = dataset.samples.map((sample) => {
        const { messages = [] } = conversations.find(({ name }) => name === sample.id) ?? {}
        const known = new Set(sample.questions.map(({ text }) => text))
        const changes = messages.flatMap(({ id, changes }) =>
          changes.map(({ ask, new: answer }): Question => {
            return { sample: sample.id, index: 0, text: ask, answer, category: 'current', gold: [id] }
          }),
        )
        const all = [...sample.questions, ...changes.filter(({ text }) => !known.has(text))]
        return { ...sample, questions: all.map((question, index) => ({ ...question, index })) }
      })
      return { ...dataset, samples }
    },
  }
}

function examplesOf(conversation: CorpusConversation, questions: readonly SearchedQuestion[]): readonly Example[] {
  const outdatedBy = successorsOf(conversation)
  return questions
    .filter(({ question: { sample } }) => sample === conversation.name)
    .flatMap(({ question: { sample, text }, featured: { candidates, features } }) => {
      const scores = probabilities(features, candidates.length, learnedWeights)
      const best = candidates
        .map((candidate, at) => ({ ...candidate, score: scores[at] ?? 0 }))
        .filter(({ memory }) => memory.kind === 'utterance')
        .sort((a, b) => b.score - a.score)
        .slice(0, maxCompared)
      const ids = best.map(({ memory }) => messageOf(memory.id))
      return pairsOf(best.map(statementOf), text).map(({ older, newer, features }) => {
        const isUpdate = outdatedBy.get(ids[older] ?? '')?.has(ids[newer] ?? '') ?? false
        return { sample, pair: `${sample} ${ids[older]} ${ids[newer]}`, features: [1, ...features], isUpdate }
      })
    })
}

function learnFrom(examples: readonly Example[]): readonly number[] {
  const chosen = examples.filter(({ isUpdate }, at) => isUpdate || at % samplingInterval === 0)
  return fit(
    chosen.map(({ features, isUpdate }) => ({
      features,
      isPositive: isUpdate,
      weight: isUpdate ? 1 : samplingInterval,
    })),
    penalty,
  )
}

function report(examples: readonly Example[], conversations: readonly CorpusConversation[]): void {
  const fold = new Map(conversations.map(({ name }, at) => [name, at % folds]))
  /** Distinct pairs: the highest score of all questions. */
  const surest = new Map<string, { readonly score: number; readonly isUpdate: boolean }>()
  for (let left = 0; left < folds; left += 1) {
    const weights = learnFrom(examples.filter(({ sample }) => fold.get(sample) !== left))
    for (const { sample, pair, features, isUpdate } of examples) {
      if (fold.get(sample) !== left) continue
      const score = dot(weights, features)
      if (score > (surest.get(pair)?.score ?? Number.NEGATIVE_INFINITY)) surest.set(pair, { score, isUpdate })
    }
  }
  const ordered = [...surest.values()].sort((a, b) => b.score - a.score)
  console.log(`${ordered.length} distinct pairs, ${ordered.filter(({ isUpdate }) => isUpdate).length} updates`)
  for (const rank of ranks) {
    const right = ordered.slice(0, rank).filter(({ isUpdate }) => isUpdate).length
    console.log(`precision of the surest ${rank}: ${(right / rank).toFixed(2)}`)
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(digits))
}
