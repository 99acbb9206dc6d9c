/**
 * Measures the context block beside bare recall: the share of the evidence turns in each within 1,000 and 2,000 tokens,
 * with the shipped weights, on the questions of LoCoMo or BEAM: `npm run eval -- context --data FILE [--benchmark beam]
 * [--dir DIR] [--json FILE]`. An entry counts for the turns that it cites.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { contextBlock } from '@loomlog/recall/context-block'
import { recall } from '@loomlog/recall/recall'
import { writeResult } from '../figures/result.ts'
import { rounded } from './agreement.ts'
import { beam } from './beam/benchmark.ts'
import { hasAnswer } from './evidence/measures.ts'
import { openMemory } from './evidence/memory.ts'
import { messageOf } from './evidence/message-of.ts'
import { locomo } from './locomo/benchmark.ts'
import { mean } from './mean.ts'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    benchmark: { type: 'string', default: 'locomo' },
    dir: { type: 'string' },
    json: { type: 'string' },
  },
})
const benchmark = [locomo, beam].find(({ name }) => name === values.benchmark)
if (!values.data || !benchmark) {
  throw new LoomlogError('input-invalid', '--data and --benchmark: expected a file and one of locomo, beam')
}
const budgets = [1_000, 2_000] as const
const dir = values.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-eval-')))
const dataset = benchmark.read(values.data)
await benchmark.ingest(dataset, values.data, dir)
const memory = await openMemory(dir)
const found: { readonly category: string; readonly shares: readonly number[] }[] = []
try {
  for (const sample of dataset.samples) {
    const space = benchmark.spaceOf(sample.id)
    for (const { text, gold, category } of sample.questions) {
      if (gold.length === 0 || !hasAnswer({ category })) continue
      const shares: number[] = []
      for (const budgetTokens of budgets) {
        const request = { space, query: text, budgetTokens }
        for (const { items } of [await recall(request, memory), await contextBlock(request, memory)]) {
          const cited = new Set(items.flatMap(({ sources }) => sources.map(messageOf)))
          shares.push(gold.filter((id) => cited.has(id)).length / gold.length)
        }
      }
      found.push({ category, shares })
    }
  }
} finally {
  await memory.close()
  if (values.dir === undefined) await rm(dir, { recursive: true, force: true })
}

const columns = budgets.flatMap((budget) => [`recall, ${budget}`, `context, ${budget}`])
const rowOf = (of: typeof found) => ({
  questions: of.length,
  ...Object.fromEntries(columns.map((name, at) => [name, rounded(mean(of.map(({ shares }) => shares[at] ?? 0)))])),
})
const groups = Map.groupBy(found, ({ category }) => category)
const table = { ...Object.fromEntries([...groups].map(([name, of]) => [name, rowOf(of)])), all: rowOf(found) }
console.table(table)
if (values.json) await writeResult(values.json, 'eval -- context', table)
