/**
 * The frame of a measure on the corpus: it ingests the conversations, each in a space of its own, and hands over each
 * with the memory that loomlog made of it. Options: `--data FOLDER [--dir DIR] [--only NAME] [--show] [--json FILE]`.
 * `--show` prints the counted things; use it with `learn` only.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LoomlogError } from '@loomlog/errors'
import type { RecallOptions } from '@loomlog/recall/recall-options'
import type { LogEvent } from '@loomlog/schemas/events'
import { writeResult } from '../../figures/result.ts'
import { openMemory } from '../evidence/memory.ts'
import { corpus } from './benchmark.ts'
import { type CorpusConversation, readCorpus } from './conversation.ts'

export interface JudgedMemory {
  /** `tenant/space` */
  readonly space: string
  /** Recall and context of the memory. */
  readonly memory: RecallOptions
  /** Events that the stages derived from this conversation. */
  readonly events: readonly LogEvent[]
}

export interface CorpusMeasure<T> {
  readonly name: string
  of(conversation: CorpusConversation, judged: JudgedMemory): Promise<T>
  /** Figures over several conversations. */
  figures(of: readonly T[]): { readonly [name: string]: number }
  /** The counted things, a line each. */
  lines(of: T): readonly string[]
}

export async function measureCorpus<T>(measure: CorpusMeasure<T>): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      dir: { type: 'string' },
      only: { type: 'string' },
      show: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
  })
  const { data, only } = values
  if (!data) throw new LoomlogError('input-invalid', '--data is missing: expected a folder such as test/corpus/judge')
  const dir = values.dir ?? (await mkdtemp(join(tmpdir(), 'loomlog-corpus-')))
  try {
    await corpus.ingest(corpus.read(data), data, dir)
    const memory = await openMemory(dir)
    try {
      const derived = await memory.derivedEvents()
      const results: { readonly conversation: CorpusConversation; readonly result: T }[] = []
      for (const conversation of readCorpus(data).filter(({ name }) => only === undefined || name === only)) {
        const space = corpus.spaceOf(conversation.name)
        const events = derived.filter((event) => 'space' in event && `${event.tenant}/${event.space}` === space)
        const result = await measure.of(conversation, { space, memory, events })
        results.push({ conversation, result })
        console.log(conversation.name, JSON.stringify(measure.figures([result])))
        if (values.show) for (const line of measure.lines(result)) console.log(`  ${line}`)
      }
      const languages = Map.groupBy(results, ({ conversation }) => conversation.language)
      const table = {
        ...Object.fromEntries(
          [...languages].map(([name, of]) => [name, measure.figures(of.map(({ result }) => result))]),
        ),
        all: measure.figures(results.map(({ result }) => result)),
      }
      console.table(table)
      const conversations = Object.fromEntries(
        results.map(({ conversation: { name }, result }) => [name, measure.figures([result])]),
      )
      await writeResult(values.json, `eval -- corpus ${measure.name}`, { ...table, conversations })
    } finally {
      await memory.close()
    }
  } finally {
    if (values.dir === undefined) await rm(dir, { recursive: true, force: true })
  }
}

/** To three decimals; 1 of nothing. */
export function share(part: number, whole: number): number {
  return whole === 0 ? 1 : Math.round((1_000 * part) / whole) / 1_000
}
