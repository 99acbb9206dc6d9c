/**
 * Evidence recall on LongMemEval in its published format: `npm run eval -- longmemeval --data FILE [--count COUNT]
 * [--json FILE]`. Each question (the first COUNT; by default all) gets a temporary memory of its own sessions and goes
 * to recall with its defaults. Figures are by type of question. Questions without an answer have no evidence and are
 * only counted.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { recall } from '@loomlog/recall/recall'
import { spaceKey } from '@loomlog/schemas/ids'
import { writeResult } from '../figures/result.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import { openMemory } from './evidence/memory.ts'
import { messageOf } from './evidence/message-of.ts'
import { type Question, readLongMemEval } from './longmemeval/dataset.ts'
import { mean } from './mean.ts'

const budgetTokens = 1_000
const cutoff = 10

const { values } = parseArgs({
  options: { data: { type: 'string' }, count: { type: 'string' }, json: { type: 'string' } },
})
const { data: file, count = '1000000' } = values
if (!file) throw new LoomlogError('input-invalid', '--data is missing: expected the path of a LongMemEval file')
if (!/^[1-9]\d*$/.test(count)) {
  throw new LoomlogError('input-invalid', `--count is ${count}: expected a whole number from 1`)
}

interface QuestionResult {
  readonly type: string
  /** Shares of the evidence. */
  readonly atCutoff: number
  readonly withinBudget: number
}

const all = readLongMemEval(file).slice(0, Number(count))
const withEvidence = all.filter(({ gold }) => gold.length > 0)
const results: QuestionResult[] = []
for (const question of withEvidence) results.push(await resultOf(question))

const groups = [...Map.groupBy(results, ({ type }) => type), ['all', results] as const]
const byType = groups.map(([type, of]) => {
  const recallAt10 = mean(of.map(({ atCutoff }) => atCutoff))
  const recallWithin1000 = mean(of.map(({ withinBudget }) => withinBudget))
  return { type, questions: of.length, recallAt10, recallWithin1000 }
})
for (const { type, questions, recallAt10, recallWithin1000 } of byType) {
  const figures = `R@${cutoff} ${recallAt10.toFixed(3)}  within ${budgetTokens} tokens ${recallWithin1000.toFixed(3)}`
  console.log(`${type.padEnd(28)} ${questions} questions  ${figures}`)
}
const withoutEvidence = all.length - withEvidence.length
console.log(`${withoutEvidence} questions without evidence`)
await writeResult(values.json, 'eval -- longmemeval', { byType, withoutEvidence })

async function resultOf({ id, type, text, turns, gold }: Question): Promise<QuestionResult> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-longmemeval-'))
  try {
    const lines = turns.map(({ id, session, role, at, text }) =>
      JSON.stringify({ id, conversation: session, speaker: role === 'human' ? 'user' : 'assistant', role, at, text }),
    )
    const jsonl = join(dir, 'turns.jsonl')
    await writeFile(jsonl, lines.join('\n'))
    const run = await loomlog(['ingest', jsonl, '--space', 'longmemeval', '--dir', dir])
    if (run.code !== 0) throw new LoomlogError('input-invalid', `the ingest of ${id} failed: ${run.stderr}`)
    const memory = await openMemory(dir)
    try {
      const request = { space: spaceKey('default', 'longmemeval'), query: text }
      const evidenceRecall = async (bound: { readonly limit: number } | { readonly budgetTokens: number }) => {
        const { items } = await recall({ ...request, ...bound }, memory)
        const sources = new Set(items.flatMap((item) => item.sources.map(messageOf)))
        return gold.filter((turn) => sources.has(turn)).length / gold.length
      }
      const atCutoff = await evidenceRecall({ limit: cutoff })
      return { type, atCutoff, withinBudget: await evidenceRecall({ budgetTokens }) }
    } finally {
      await memory.close()
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
