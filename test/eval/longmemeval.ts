/**
 * Evidence recall on LongMemEval in its published form: `npm run eval -- longmemeval --data FILE [--count COUNT]`. Each question (the first
 * COUNT; by default all) gets a memory of its own sessions, made as any user's is and removed at the end, and is put to recall as it is by
 * default. Told by type of question; those without an answer have no evidence, and are counted alone.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { recall } from '@loomlog/recall/recall'
import { spaceKey } from '@loomlog/schemas/ids'
import { loomlog } from '../pipeline/loomlog.ts'
import { mean } from './locomo/measures.ts'
import { openMemory } from './locomo/memory.ts'
import { type Asked, readLongMemEval } from './longmemeval/dataset.ts'

const budgetTokens = 1_000
const cutoff = 10

const { values } = parseArgs({ options: { data: { type: 'string' }, count: { type: 'string' } } })
const { data: file, count = '1000000' } = values
if (!file) throw new LoomlogError('input-invalid', '--data is missing: expected the path of a LongMemEval file')
if (!/^[1-9]\d*$/.test(count)) {
  throw new LoomlogError('input-invalid', `--count is ${count}: expected a whole number from 1`)
}

interface Measured {
  readonly type: string
  readonly atCutoff: number
  readonly inBudget: number
}

const all = readLongMemEval(file).slice(0, Number(count))
const asked = all.filter(({ gold }) => gold.length > 0)
const results: Measured[] = []
for (const each of asked) results.push(await measured(each))

for (const [type, of] of [...Map.groupBy(results, ({ type }) => type), ['all', results] as const]) {
  const figures = [mean(of.map(({ atCutoff }) => atCutoff)), mean(of.map(({ inBudget }) => inBudget))]
  const [ranked, packed] = figures.map((figure) => figure.toFixed(3))
  console.log(
    `${type.padEnd(28)} ${of.length} questions  R@${cutoff} ${ranked}  within ${budgetTokens} tokens ${packed}`,
  )
}
console.log(`${all.length - asked.length} questions without evidence`)

async function measured({ id, type, text, turns, gold }: Asked): Promise<Measured> {
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
      const held = async (more: object) => {
        const { items } = await recall({ ...request, ...more }, memory)
        const found = new Set(items.flatMap(({ sources }) => sources))
        return gold.filter((turn) => found.has(turn)).length / gold.length
      }
      return { type, atCutoff: await held({ limit: cutoff }), inBudget: await held({ budgetTokens }) }
    } finally {
      await memory.close()
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
