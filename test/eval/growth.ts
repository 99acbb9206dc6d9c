/**
 * Recall in growing spaces: `npm run eval -- growth --data FILE [--dir DIR] [--json FILE]`, on conversations in
 * LoCoMo's format. Each conversation becomes spaces of 1 to 100 sessions: first its own sessions, then those of other
 * conversations. All spaces get the same questions: those whose evidence is in the first three sessions (in a space of
 * one session: in that session). The figures are the share of the evidence, and the time of a recall whose question was
 * embedded before, so that its vector is cached. The weights are the shipped ones, also for conversations that they
 * were learned from.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { recall } from '@loomlog/recall/recall'
import type { RecallRequest } from '@loomlog/recall/request'
import { writeResult } from '../figures/result.ts'
import type { Question } from './evidence/dataset.ts'
import { ingest, type Memory, openMemory } from './evidence/memory.ts'
import { messageOf } from './evidence/message-of.ts'
import { spaceOf } from './locomo/benchmark.ts'
import { readDataset } from './locomo/dataset.ts'
import { grownId, growTo, type RawSample } from './locomo/grow-conversation.ts'
import { mean } from './mean.ts'

const sizes = [1, 3, 10, 30, 100]
/** The last session with evidence for the questions. */
const maxEvidenceSession = 3
const cutoff = 10
const budgets = [250, 1_000]

interface Row {
  readonly sessions: number
  readonly questions: number
  readonly recallAt10: number
  readonly recallWithin: { readonly [tokens: string]: number }
  readonly p50Ms: number
  readonly p99Ms: number
}

const { values } = parseArgs({
  options: { data: { type: 'string' }, dir: { type: 'string' }, json: { type: 'string' } },
})
if (!values.data) throw new LoomlogError('input-invalid', '--data is missing: expected the path of a LoCoMo file')
const { samples } = readDataset(values.data)
const raw: readonly RawSample[] = JSON.parse(await readFile(values.data, 'utf8'))
const dir = values.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-eval-')))
try {
  await mkdir(dir, { recursive: true })
  const file = join(dir, 'grown.json')
  await writeFile(file, JSON.stringify(sizes.flatMap((size) => growTo(raw, size))))
  console.log(await ingest(file, 'locomo', 'locomo', dir))
  const memory = await openMemory(dir)
  const rows: Row[] = []
  for (const size of sizes) {
    const row = await measureRow(size, memory)
    rows.push(row)
    const within = budgets.map((budget) => `${row.recallWithin[budget]?.toFixed(3)} within ${budget} tokens`)
    console.log(
      `${size} sessions, ${row.questions} questions: ${row.recallAt10.toFixed(3)} at ${cutoff}, ${within.join(', ')}; p50 ${row.p50Ms.toFixed(0)} ms, p99 ${row.p99Ms.toFixed(0)} ms`,
    )
  }
  await memory.close()
  await writeResult(values.json, 'eval -- growth', { growth: rows })
} finally {
  if (values.dir === undefined) await rm(dir, { recursive: true, force: true })
}

async function measureRow(sessions: number, memory: Memory): Promise<Row> {
  const answeredIn = Math.min(sessions, maxEvidenceSession)
  const asked = samples.flatMap(({ id, questions }) =>
    questions
      .filter(({ category, gold }) => category !== '5' && gold.length > 0)
      .filter(({ gold }) => gold.every((turn) => sessionOf(turn) <= answeredIn))
      .map((question) => ({ question, space: spaceOf(grownId(id, sessions)) })),
  )
  const times: number[] = []
  const recallsAtCutoff: number[] = []
  const recallsWithin = new Map(budgets.map((budget) => [budget, [] as number[]]))
  for (const { question, space } of asked) {
    recallsAtCutoff.push(await evidenceRecall(question, { space, limit: cutoff }, memory))
    for (const [budgetTokens, recalls] of recallsWithin) {
      const startedAt = performance.now()
      recalls.push(await evidenceRecall(question, { space, budgetTokens }, memory))
      times.push(performance.now() - startedAt)
    }
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0
  return {
    sessions,
    questions: asked.length,
    recallAt10: mean(recallsAtCutoff),
    recallWithin: Object.fromEntries([...recallsWithin].map(([budget, recalls]) => [budget, mean(recalls)])),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  }
}

async function evidenceRecall(
  { text, gold }: Question,
  request: Omit<RecallRequest, 'query'>,
  memory: Memory,
): Promise<number> {
  const { items } = await recall({ query: text, ...request }, memory)
  const sources = new Set(items.flatMap((item) => item.sources.map(messageOf)))
  return gold.filter((turn) => sources.has(turn)).length / gold.length
}

function sessionOf(turn: string): number {
  return Number(/^D(\d+):/.exec(turn)?.[1] ?? Number.POSITIVE_INFINITY)
}
