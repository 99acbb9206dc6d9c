/** One memory in this process for many small conversations, each in a space of its own, derived by rules. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveAll } from '@loomlog/app/derive-all'
import { eventsOf } from '@loomlog/app/derived-events'
import { withReading } from '@loomlog/app/generations/live'
import { correctionsFor } from '@loomlog/corrections/correct'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { readFormat } from '@loomlog/intake/formats'
import { recall } from '@loomlog/recall/recall'
import type { RecallOptions } from '@loomlog/recall/recall-options'
import type { RecallResult } from '@loomlog/recall/recall-result'
import type { RecallRequest } from '@loomlog/recall/request'
import { isEvent, type LogEvent } from '@loomlog/schemas/events'

const tenant = 'default'

export function spaceOf(name: string): string {
  return `${tenant}/${name}`
}

/** `Ann: words`, from a person unless `role` says otherwise; `at` is a day, or a time in UTC. */
export interface Line {
  readonly role?: 'agent' | 'tool'
  readonly at: string
  readonly says: string
}

export interface Replacement {
  readonly old: string
  readonly current: string
}

export interface TruthMemory {
  /** The texts of the facts that are not retracted. */
  facts(space: string): readonly string[]
  /** Events that the stages derived. */
  events(space: string): readonly LogEvent[]
  /** The texts of replaced entries and of their replacements. */
  replacements(space: string): readonly Replacement[]
  recall(space: string, query: string, request?: Partial<RecallRequest>): Promise<RecallResult>
}

export interface OpenMemory extends TruthMemory {
  /** The id of a line: its space and its index in the conversation. */
  readonly id: (space: string, line: number) => string
  withOptions<T>(work: (options: RecallOptions) => Promise<T>): Promise<T>
  /** Retracts every fact that cites this line. */
  retractFactsOf(space: string, line: number): Promise<void>
  append(space: string, lines: readonly Line[]): Promise<void>
  close(): Promise<void>
}

export async function openMemory(spaces: { readonly [space: string]: readonly Line[] }): Promise<OpenMemory> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-truth-'))
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir, LOOMLOG_PARTITIONS: '1' }))
  const conditions = new Conditions({ warn: () => {}, info: () => {}, debug: () => {} })
  const { signal } = new AbortController()
  const counts = new Map<string, number>()
  let derived: readonly LogEvent[] = []

  async function append(space: string, lines: readonly Line[]): Promise<void> {
    const first = counts.get(space) ?? 0
    counts.set(space, first + lines.length)
    const text = lines.map(({ at, says, role = 'human' }, index) => {
      const [, speaker, words] = /^([^:]+): ([\s\S]*)$/.exec(says) ?? []
      const time = at.includes('T') ? `${at}Z` : `${at}T09:${String(first + index).padStart(2, '0')}:00Z`
      return JSON.stringify({
        id: `${space}-${first + index}`,
        conversation: space,
        speaker,
        role,
        at: time,
        text: words,
      })
    })
    const source = { file: space, text: text.join('\n'), place: { tenant, space }, appendedAt: Date.now() }
    await appendOnce(readFormat('jsonl', source), { log: host.log, codec: host.codec, dir })
  }

  async function derive(): Promise<void> {
    const serving = await deriveAll(host, { signal, conditions, onNews: () => {}, onProgress: () => {} })
    const events: LogEvent[] = []
    for (const stage of serving?.stages ?? []) {
      for await (const { event } of eventsOf(host, stage.writes)) events.push(event)
    }
    derived = events
  }

  function factsOf(space: string) {
    const retracted = new Set(derived.flatMap((event) => (isEvent('FactRetracted', event) ? [event.fact] : [])))
    return derived
      .filter((event) => isEvent('FactRecorded', event))
      .filter((fact) => fact.space === space && !retracted.has(fact.id))
  }

  const withOptions: OpenMemory['withOptions'] = (work) =>
    withReading(host, tenant, ({ views, embedder }) => work({ log: host.log, codec: host.codec, views, embedder }))

  for (const [space, lines] of Object.entries(spaces)) await append(space, lines)
  await derive()
  return {
    id: (space, line) => `${space}-${line}`,
    events: (space) => derived.filter((event) => 'space' in event && event.space === space),
    facts: (space) => factsOf(space).map(({ text }) => text),
    replacements(space) {
      const written = derived.filter((event) => isEvent('EntryWritten', event)).filter((event) => event.space === space)
      const textOf = new Map(written.map(({ id, text }) => [id, text]))
      return derived
        .filter((event) => isEvent('EntryRetired', event))
        .filter((event) => event.space === space && event.reason === 'superseded')
        .map(({ entry, by }) => ({ old: textOf.get(entry) ?? '', current: textOf.get(by ?? '') ?? '' }))
    },
    recall: (space, query, request) =>
      withOptions((options) => recall({ space: spaceOf(space), query, ...request }, options)),
    withOptions,
    async retractFactsOf(space, line) {
      const by = {
        place: { tenant, space, principal: null },
        by: 'Ann',
        role: 'human',
        reason: null,
        at: Date.now(),
      } as const
      for (const { id } of factsOf(space).filter(({ sources }) => sources.includes(`${space}-${line}`))) {
        const request = { ...by, action: 'retract', memory: id } as const
        const corrections = await withOptions(({ views }) => correctionsFor(request, views))
        await appendOnce(corrections, { log: host.log, codec: host.codec, dir })
      }
      await derive()
    },
    append,
    async close() {
      await host.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
