/**
 * The cost of encryption: `npm run bench -- encryption [--messages N] [--rounds N] [--questions N] [--json FILE]`. The
 * same conversations are ingested and derived by rules, in turn into a plain and an encrypted log; then the same
 * questions are recalled from both, with the space in memory, and from memories that were just opened. The ratio of the
 * rates is the median of the rounds' ratios, since the speed of a shared machine changes from minute to minute.
 * Targets: .85 of the plain rate, and 1.2 times the plain time of a recall, else the command fails.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openMemory } from '@loomlog/app/open-memory'
import { writeResult } from '../figures/result.ts'
import { startProgram } from '../pipeline/loomlog.ts'
import { writeMessages } from './messages.ts'
import { measureTimes, type Times } from './recall/times.ts'

const sides = ['plain', 'encrypted'] as const
type Side = (typeof sides)[number]
type OfSides<T> = Record<Side, T>

const leastRate = 0.85
const mostTime = 1.2
const spaces = 20
const opens = 10
const subjects = ['Maya', 'Tomas', 'the boat', 'a garden', 'Porto', 'the piano', 'Lisbon', 'Nora']

export async function benchEncryption(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: { messages: text, rounds: text, questions: text, json: text },
  })
  const messages = Number(values.messages ?? 3_000)
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
  try {
    const file = join(dir, 'messages.jsonl')
    await writeMessages(file, { messages, spaces, chars: 0 })
    const rates: OfSides<number[]> = { plain: [], encrypted: [] }
    for (let round = 0; round < Number(values.rounds ?? 9); round += 1) {
      // The side that is second has warmer caches.
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        await rm(join(dir, side), { recursive: true, force: true })
        rates[side].push(messages / (await ingestSeconds(file, join(dir, side), side)))
      }
    }
    const recalls = { plain: {} as Recalls, encrypted: {} as Recalls }
    for (const side of sides) recalls[side] = await recallTimes(join(dir, side), Number(values.questions ?? 300))
    const messagesPerSecond = { plain: median(rates.plain), encrypted: median(rates.encrypted) }
    const ratios = rates.plain.map((rate, round) => (rates.encrypted[round] ?? 0) / rate).toSorted((a, b) => a - b)
    const rateRatio = median(ratios)
    const warmRatio = recalls.encrypted.warm.p50Ms / recalls.plain.warm.p50Ms
    const result = { messages, spaces, messagesPerSecond, rateRatio, ratios, recalls, warmRatio }
    await writeResult(values.json, 'bench -- encryption', result)
    console.log(`${cpus().length} cores, ${platform()}, Node ${process.versions.node}; ${messages} messages`)
    console.table(messagesPerSecond)
    for (const side of sides) console.log(side, recalls[side])
    const rounds = `${ratios.map((ratio) => ratio.toFixed(2)).join(', ')} in the rounds`
    console.log(`the rate is ${rateRatio.toFixed(2)} of the plain one (${rounds}); target ${leastRate}`)
    console.log(`a warm recall takes ${warmRatio.toFixed(2)} times the plain one; target ${mostTime}`)
    if (rateRatio < leastRate || warmRatio > mostTime) process.exitCode = 1
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

interface Recalls {
  /** The space is in memory. */
  readonly warm: Times
  /** The memory is opened for each. */
  readonly cold: Times
}

async function ingestSeconds(file: string, dir: string, side: Side): Promise<number> {
  const startedAt = performance.now()
  const environment = { LOOMLOG_EMBEDDER: 'words', LOOMLOG_ENCRYPTION: side === 'plain' ? 'off' : 'on' }
  const run = await startProgram(['ingest', file, '--dir', dir, '--json'], environment).finished
  if (run.code !== 0) throw new Error(run.stderr)
  return (performance.now() - startedAt) / 1_000
}

async function recallTimes(dir: string, questions: number): Promise<Recalls> {
  const open = () => openMemory({ dir, env: { LOOMLOG_EMBEDDER: 'words' } })
  let asked = 0
  const question = () => `Is there news of ${subjects[asked++ % subjects.length]}?`
  const memory = await open()
  const space = memory.space('space-0')
  await measureTimes(subjects.length, () => space.recall(question()))
  const warm = await measureTimes(questions, () => space.recall(question()))
  await memory.close()
  const cold = await measureTimes(opens, async () => {
    const opened = await open()
    await opened.space('space-0').recall(question())
    await opened.close()
  })
  return { warm, cold }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
