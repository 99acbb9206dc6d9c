/**
 * The time to the first `add` and the first `recall`: `npm run bench -- start [--rounds N] [--json FILE]`. It starts
 * the built library (`npm run build`) in a new process each time: cold in an empty folder, and warm in the folder of an
 * earlier process. Targets: 1 s from the import to the first add in an empty folder, and 300 ms of a later opening.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { writeResult } from '../../figures/result.ts'

const library = fileURLToPath(new URL('../../../dist/loomlog/index.js', import.meta.url))
const program = fileURLToPath(new URL('one-start.ts', import.meta.url))

type Times = { readonly [step: string]: number }

export async function benchStart(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { rounds: { type: 'string', default: '5' }, json: { type: 'string' } },
  })
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new LoomlogError('input-invalid', `--rounds is ${values.rounds}: expected a whole number from 1 on`)
  if (!existsSync(library)) throw new LoomlogError('not-found', 'the library is not built: run `npm run build` first')
  const [cold, warm]: [Times[], Times[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const dir = await mkdtemp(join(tmpdir(), 'loomlog-bench-'))
    cold.push(await start(dir))
    warm.push(await start(dir))
    await rm(dir, { recursive: true })
  }
  const result = { rounds, cold: summary(cold), warm: summary(warm) }
  await writeResult(values.json, 'bench -- start', result)
  console.log(
    `${cpus().length} cores, ${platform()}, Node ${process.versions.node}; ms, the median of ${rounds} starts (and the longest)`,
  )
  console.table(
    Object.fromEntries(
      Object.keys(result.cold).map((step) => [
        step,
        { cold: shown(result.cold[step]), warm: shown(result.warm[step]) },
      ]),
    ),
  )
}

async function start(dir: string): Promise<Times> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, library, dir])
  return JSON.parse(stdout)
}

interface Summary {
  readonly median: number
  readonly longest: number
}

function summary(all: readonly Times[]): { readonly [step: string]: Summary } {
  const steps = Object.keys(all[0] ?? {})
  return Object.fromEntries(steps.map((step) => [step, summaryOf(all.map((times) => times[step] ?? 0))]))
}

function summaryOf(times: readonly number[]): Summary {
  const sorted = times.toSorted((a, b) => a - b)
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, longest: sorted.at(-1) ?? 0 }
}

function shown({ median, longest }: Summary = { median: 0, longest: 0 }): string {
  return `${Math.round(median)} (${Math.round(longest)})`
}
