/**
 * What growing does to recall: `npm run eval -- growth --data FILE [--dir DIR] [--json FILE]`, on conversations in LoCoMo's form. Each becomes
 * spaces of 1 to 100 sessions, the first of its own and then those of the others, and all of them are put the same questions: those
 * whose evidence lies in the first three sessions (in a space of one session, in that one). Told are the share of the evidence found
 * and the time, the embedding of the question included. The weights are the product's, whatever they were learned from.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { recall } from '@loomlog/recall/recall'
import type { RecallRequest } from '@loomlog/recall/request'
import { type Question, readDataset } from './locomo/dataset.ts'
import { grown, grownId, type RawSample } from './locomo/grown.ts'
import { mean } from './locomo/measures.ts'
import { ingest, type Memory, openMemory, spaceOf } from './locomo/memory.ts'

const sizes = [1, 3, 10, 30, 100]
const asksAbout = 3
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
  await writeFile(file, JSON.stringify(sizes.flatMap((size) => grown(raw, size))))
  console.log(await ingest(file, dir))
  const memory = await openMemory(dir)
  const rows: Row[] = []
  for (const size of sizes) {
    const row = await measured(size, memory)
    rows.push(row)
    const within = budgets.map((budget) => `${row.recallWithin[budget]?.toFixed(3)} within ${budget} tokens`)
    console.log(
      `${size} sessions, ${row.questions} questions: ${row.recallAt10.toFixed(3)} at ${cutoff}, ${within.join(', ')}; p50 ${row.p50Ms.toFixed(0)} ms, p99 ${row.p99Ms.toFixed(0)} ms`,
    )
  }
  await memory.close()
  if (values.json) await writeFile(values.json, `${JSON.stringify({ growth: rows }, null, 2)}\n`)
} finally {
  if (values.dir === undefined) await rm(dir, { recursive: true, force: true })
}

async function measured(sessions: number, memory: Memory): Promise<Row> {
  const known = Math.min(sessions, asksAbout)
  const asked = samples.flatMap(({ id, questions }) =>
    questions
      .filter(
        ({ category, gold }) => category !== '5' && gold.length > 0 && gold.every((turn) => sessionOf(turn) <= known),
      )
      .map((question) => ({ question, space: spaceOf(grownId(id, sessions)) })),
  )
  const times: number[] = []
  const found = new Map<string, number[]>([cutoff, ...budgets].map((at) => [`${at}`, []]))
  for (const { question, space } of asked) {
    const ranked = await held(question, { space, limit: cutoff }, memory)
    found.get(`${cutoff}`)?.push(ranked)
    for (const budgetTokens of budgets) {
      const startedAt = performance.now()
      found.get(`${budgetTokens}`)?.push(await held(question, { space, budgetTokens }, memory))
      times.push(performance.now() - startedAt)
    }
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0
  return {
    sessions,
    questions: asked.length,
    recallAt10: mean(found.get(`${cutoff}`) ?? []),
    recallWithin: Object.fromEntries(budgets.map((budget) => [budget, mean(found.get(`${budget}`) ?? [])])),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  }
}

async function held({ text, gold }: Question, more: Omit<RecallRequest, 'query'>, memory: Memory): Promise<number> {
  const { items } = await recall({ query: text, ...more }, memory)
  const sources = new Set(items.flatMap((item) => item.sources))
  return gold.filter((turn) => sources.has(turn)).length / gold.length
}

function sessionOf(turn: string): number {
  return Number(/^D(\d+):/.exec(turn)?.[1] ?? Number.POSITIVE_INFINITY)
}
