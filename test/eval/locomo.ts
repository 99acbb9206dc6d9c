/**
 * Evidence recall on conversations in LoCoMo's form: `npm run eval -- locomo --data FILE [--json FILE] [--dir DIR]`. The file is taken into
 * a memory as any user's is (in DIR, or a folder that is removed at the end), and every question is put to `recall()` as it is by
 * default, beside the baselines. No model is asked.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { baselineRankings, byScore, type Texts, textsOf } from './locomo/baselines.ts'
import { type Dataset, type Question, readDataset } from './locomo/dataset.ts'
import { leaveOneOut, linearFeatures, linearScores } from './locomo/linear.ts'
import { groups, measured, type Scored, type Shown, scoresOf } from './locomo/measures.ts'
import { ingest, type Memory, openMemory, spaceOf } from './locomo/memory.ts'
import { shownBy } from './locomo/ours.ts'
import { ours, surenessOf, tableOf } from './locomo/table.ts'

const linear = 'linear score, left-out weights'

const { values } = parseArgs({
  options: { data: { type: 'string' }, json: { type: 'string' }, dir: { type: 'string' } },
})
const file = values.data
if (!file) throw new LoomlogError('input-invalid', '--data is missing: expected the path of a LoCoMo file')
const dataset = readDataset(file)
const dir = values.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-eval-')))
try {
  console.log(await ingest(file, dir))
  const memory = await openMemory(dir)
  try {
    await report(await measure(dataset, memory))
  } finally {
    await memory.close()
  }
} finally {
  if (values.dir === undefined) await rm(dir, { recursive: true, force: true })
}

interface Asked {
  readonly question: Question
  readonly texts: Texts
  readonly features: readonly (readonly number[])[]
  readonly shown: Map<string, Shown>
}

async function measure({ samples }: Dataset, memory: Memory): Promise<readonly Asked[]> {
  const all: Asked[] = []
  for (const sample of samples) {
    const texts = textsOf(sample)
    for (const question of sample.questions.filter(({ gold }) => gold.length > 0)) {
      const near = await memory.cosines(spaceOf(sample.id), question.text)
      const cosines = sample.turns.map(({ id }) => near.get(id) ?? 0)
      const rankings = Object.entries(baselineRankings(texts, question, cosines))
      const shown = new Map<string, Shown>(rankings.map(([name, ranked]) => [name, { ranked }]))
      shown.set(ours, await shownBy(memory, spaceOf(sample.id), question.text))
      all.push({ question, texts, features: linearFeatures(texts, question, cosines), shown })
    }
    console.error(`${sample.id}: ${sample.questions.length} questions`)
  }
  const weights = leaveOneOut(
    all
      .filter(({ question }) => question.category !== '5')
      .map(({ question, texts, features }) => ({
        sample: question.sample,
        gold: texts.turns.map(({ id }) => question.gold.includes(id)),
        features,
      })),
  )
  for (const { question, texts, features, shown } of all) {
    const scores = linearScores(features, weights.get(question.sample) ?? [])
    shown.set(linear, { ranked: byScore(texts.items, scores) })
  }
  return all
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
  console.log(`\n${ours}, categories 1 to 4, mean and 95 %:\n${surenessOf(scored, linear)}`)
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
