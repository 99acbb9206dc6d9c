/**
 * The command of a benchmark: it parses the options, opens the folder of the memory, and writes the file of the
 * figures.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import { writeResult } from '../../figures/result.ts'
import type { Benchmark } from './benchmark.ts'
import {
  figuresOf,
  type SearchResults,
  searchAll,
  type WeightSource,
  type WeightsOf,
  weightsFor,
  writeQuestions,
} from './evaluation.ts'

const options = {
  data: { type: 'string' },
  json: { type: 'string' },
  dir: { type: 'string' },
  learn: { type: 'string' },
  unlearned: { type: 'boolean' },
  beside: { type: 'string' },
  uncached: { type: 'boolean' },
  questions: { type: 'string' },
  ablate: { type: 'boolean' },
  answers: { type: 'string' },
} as const

export type Values = ReturnType<typeof parseArgs<{ readonly options: typeof options }>>['values']

export interface Evaluation {
  /** The benchmark whose data `--beside` names. */
  readonly beside: Benchmark
  /** Figures that only this benchmark has. */
  figures(searched: SearchResults, weightsOf: WeightsOf, values: Values & { readonly dir: string }): Promise<object>
}

export async function evaluate(benchmark: Benchmark, { beside, figures }: Evaluation): Promise<void> {
  const { values } = parseArgs({ options })
  const { data, learn, unlearned } = values
  if (!data) throw new LoomlogError('input-invalid', `--data is missing: expected the data of ${benchmark.name}`)
  const dir = values.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-eval-')))
  try {
    const source: WeightSource = learn ? { learn } : unlearned ? 'unlearned' : 'shipped'
    const searched = await searchAll(benchmark, data, dir, values.uncached ? 'uncached' : null)
    const others = values.beside && source !== 'shipped' ? [await searchAll(beside, values.beside, dir)] : []
    const weightsOf = await weightsFor(searched, others, source)
    const all = { ...figuresOf(searched, weightsOf), ...(await figures(searched, weightsOf, { ...values, dir })) }
    if (values.questions) await writeQuestions(values.questions, searched)
    await writeResult(values.json, `eval -- ${benchmark.name}`, all)
  } finally {
    if (values.dir === undefined) await rm(dir, { recursive: true, force: true })
  }
}
