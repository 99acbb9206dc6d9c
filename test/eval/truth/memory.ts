/**
 * The memory that loomlog makes of a judged conversation, read through its commands alone: the facts, the entries that replace each other,
 * and the evidence for a question, best first.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoomEvent } from '@loomlog/schemas/events'
import { loomlog } from '../../pipeline/loomlog.ts'
import type { Conversation } from './conversation.ts'

const space = 'truth'
/** Number of pieces of evidence that count. */
const evidenceLimit = 10

export interface RecordedFact {
  readonly text: string
  readonly sources: readonly string[]
}

/** An entry that replaced another one, by the messages that each cites. */
export interface Replacement {
  readonly old: readonly string[]
  readonly current: readonly string[]
  readonly texts: readonly [old: string, current: string]
}

export interface Evidence {
  readonly id: string
  readonly sources: readonly string[]
  /** Ids of the evidence that replaces it; empty if it is current. */
  readonly replacedBy: readonly string[]
}

export interface JudgedMemory {
  readonly facts: readonly RecordedFact[]
  readonly replacements: readonly Replacement[]
  ask(question: string): Promise<readonly Evidence[]>
}

/** Calls `measure` with the memory, and removes the memory afterwards. */
export async function withMemory<T>(of: Conversation, measure: (memory: JudgedMemory) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-truth-'))
  try {
    const file = join(dir, 'messages.jsonl')
    await writeFile(file, of.messages.map((message) => JSON.stringify(message)).join('\n'))
    await run('ingest', file, '--space', space, '--dir', dir)
    const recorded = await tail('facts', dir)
    const retracted = new Set(recorded.flatMap((event) => (event.type === 'FactRetracted' ? [event.fact] : [])))
    const facts = recorded.flatMap((event) =>
      event.type === 'FactRecorded' && !retracted.has(event.id) ? [event] : [],
    )
    return await measure({
      facts,
      replacements: replacementsIn(await tail('consolidations', dir)),
      async ask(question) {
        const answer = await run(
          'recall',
          question,
          '--space',
          space,
          '--dir',
          dir,
          '--limit',
          `${evidenceLimit}`,
          '--json',
        )
        const { memories } = JSON.parse(answer) as { readonly memories: readonly Partial<Evidence>[] }
        return memories.map(({ id = '', sources = [], replacedBy = [] }) => ({ id, sources, replacedBy }))
      },
    })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function replacementsIn(events: readonly LoomEvent[]): readonly Replacement[] {
  const entries = new Map(
    events.flatMap((event) => (event.type === 'EntryWritten' ? [[event.id, event] as const] : [])),
  )
  return events.flatMap((event) => {
    if (event.type !== 'EntryRetired' || event.reason !== 'superseded' || event.by === null) return []
    const [old, current] = [entries.get(event.entry), entries.get(event.by)]
    if (!old || !current) return []
    return [{ old: old.sources, current: current.sources, texts: [old.text, current.text] as const }]
  })
}

async function tail(topic: string, dir: string): Promise<readonly LoomEvent[]> {
  const lines = (await run('tail', topic, '--dir', dir)).split('\n').filter((line) => line !== '')
  return lines.map((line) => (JSON.parse(line) as { readonly event: LoomEvent }).event)
}

async function run(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await loomlog(args)
  if (code !== 0) throw new Error(`loomlog ${args.join(' ')} failed: ${stderr}`)
  return stdout
}
