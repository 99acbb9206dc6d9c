/**
 * For tests: forgetting as a log shows it. A marker ends everything before it in its space, and copies of the source
 * events that are kept follow it.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveAll } from '@loomlog/app/derive-all'
import { canonicalDump } from '@loomlog/app/derived-events'
import { isLoomlogError } from '@loomlog/errors'
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import { Conditions } from '@loomlog/host/conditions'
import { configFrom } from '@loomlog/host/config'
import { viewSources } from '@loomlog/host/generation-reader'
import { type Host, openHost } from '@loomlog/host/open'
import { viewStore } from '@loomlog/host/view-store'
import { readFormat } from '@loomlog/intake/formats'
import type { NewRecord } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { isEvent, type SourceEvent } from '@loomlog/schemas/events'
import { canonicalJson, type Json, spaceKey } from '@loomlog/schemas/ids'
import { tablesOf, viewId } from '@loomlog/views/catalogue'
import { dumpTable } from '@loomlog/views/dump'

import type { Environment } from './loomlog.ts'

interface AfterHook {
  after(end: () => Promise<unknown>): void
}

export async function folder(t: AfterHook): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-forgetting-'))
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  return dir
}

/** Rules alone, and vectors of words: nothing is waited for. */
export function settings(dir: string): Environment {
  return { LOOMLOG_DIR: dir, LOOMLOG_EMBEDDER: 'words', LOOMLOG_PARTITIONS: '2', LOOMLOG_SESSION_MS: '1000' }
}

/** Runs `work` on the memory in a folder, and closes it. */
export async function withHost<T>(dir: string, work: (host: Host) => Promise<T>, more: Environment = {}): Promise<T> {
  const host = await openHost(configFrom({ ...settings(dir), ...more }))
  try {
    return await work(host)
  } finally {
    await host.close()
  }
}

const demo = new URL('../../packages/cli/demo/conversation.jsonl', import.meta.url)

/** The conversation of the demo, in a space. */
export async function demoEvents(place: { tenant: string; space: string }): Promise<readonly SourceEvent[]> {
  const text = await readFile(demo, 'utf8')
  return readFormat('jsonl', { file: 'conversation.jsonl', text, place, appendedAt: Date.UTC(2026, 5, 1) })
}

function recordOf({ codec }: Pick<Host, 'codec'>, event: SourceEvent) {
  return { key: spaceKey(event.tenant, event.space), value: codec.encode(event), timestamp: event.appendedAt }
}

/** Appends source events in one append. */
export async function append(host: Pick<Host, 'log' | 'codec'>, events: readonly SourceEvent[]): Promise<void> {
  await host.log.append(
    'utterances',
    events.map((event) => recordOf(host, event)),
  )
}

/** The source events of a space since its last forgetting. */
async function sourceEvents({ log, codec }: Pick<Host, 'log' | 'codec'>, space: string) {
  let events: SourceEvent[] = []
  for await (const records of log.read({ topic: 'utterances', until: 'end' })) {
    for (const { key, value } of records) {
      if (key !== space) continue
      const event = (await codec.decode(value)) as SourceEvent
      events = isEvent('SubjectForgotten', event) ? [] : [...events, event]
    }
  }
  return events
}

/** Copies utterances from the last marker of their space on, and no recorded answer: a log that has lost the others. */
export async function copySurvivors(from: string, to: string): Promise<void> {
  const events = await withHost(from, async (host) => {
    const spaces = new Map<string, SourceEvent[]>()
    for await (const records of host.log.read({ topic: 'utterances', until: 'end' }))
      for (const { key, value } of records) {
        const event = (await host.codec.decode(value)) as SourceEvent
        const before = isEvent('SubjectForgotten', event) ? [] : (spaces.get(key ?? '') ?? [])
        spaces.set(key ?? '', [...before, event])
      }
    return [...spaces.values()].flat()
  })
  await withHost(to, (host) => append(host, events))
}

/** @param forgetting its id, which no other forgetting has */
function markerOf(space: string, forgetting: string, kept: number): SourceEvent {
  const [tenant = '', name = ''] = space.split('/')
  const at = Date.UTC(2026, 6, 1)
  const by = { by: 'Ines', principal: null, keyId: null }
  const place = { tenant, space: name, seq: null, subject: '' }
  return { type: 'SubjectForgotten', id: forgetting, ...place, forgetting, kept, ...by, at, appendedAt: at }
}

/** Appends a marker and the kept events of the space, in one append. */
export async function forget(
  host: Pick<Host, 'log' | 'codec'>,
  space: string,
  forgetting: string,
  isKept: (event: SourceEvent) => boolean,
): Promise<readonly SourceEvent[]> {
  const kept = (await sourceEvents(host, space)).filter(isKept)
  await append(host, [markerOf(space, forgetting, kept.length), ...kept])
  return kept
}

/** Whether an event names none of these speakers. */
export function withoutSpeaker(speaker: string): (event: SourceEvent) => boolean {
  return (event) => event.type !== 'UtteranceAppended' || event.speaker !== speaker
}

/**
 * The record of an event as a process writes it that doesn't know a later key of the space yet. The returned function
 * appends it to a topic, past the encryption of the log.
 */
export async function sealedNow(host: Host, event: SourceEvent): Promise<(topic: string) => Promise<void>> {
  const topic = `sealed-${event.id}`
  await host.log.createTopic({ name: topic, partitions: host.partitions, retentionMs: null })
  await host.log.append(topic, [recordOf(host, event)])
  const plain = openSqliteLog({ dir: host.config.dir })
  try {
    const records: NewRecord[] = []
    for await (const found of plain.read({ topic, until: 'end' }))
      records.push(...found.map(({ key, value, timestamp }) => ({ key, value, timestamp })))
    await host.log.deleteTopic(topic)
    return (into) => appendPlain(host, into, records)
  } finally {
    await plain.close()
  }
}

async function appendPlain({ config }: Host, topic: string, records: readonly NewRecord[]): Promise<void> {
  const plain = openSqliteLog({ dir: config.dir })
  try {
    await plain.append(topic, records)
  } finally {
    await plain.close()
  }
}

export async function derive(host: Host): Promise<ServingGeneration> {
  const conditions = new Conditions({ info() {}, warn() {}, debug() {} })
  const { signal } = new AbortController()
  const serving = await deriveAll(host, { conditions, signal, onNews() {}, onProgress() {} })
  if (serving === null) throw new Error('nothing was derived')
  return serving
}

/**
 * A memory as lines: the events of the stages, and the rows of the views.
 * @param restarted spaces that begin with a marker
 */
export async function memoryOf(host: Host, serving: ServingGeneration, restarted: readonly string[] = []) {
  const events = (await canonicalDump(host, serving)).map(({ stage, space, event }) => {
    const shifted = restarted.includes(space) ? shift(event) : event
    return `${stage} ${space} ${canonicalJson(shifted)}`
  })
  return { events, rows: await rowsOf(host, serving, restarted) }
}

async function rowsOf(host: Host, serving: ServingGeneration, restarted: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  for (const [topic, source] of viewSources(serving, host)) {
    const [vectorSpace, tables] = [host.embedder.vectorSpace, tablesOf(topic, host.tables)]
    const view = viewId(source, vectorSpace.name)
    for (let partition = 0; partition < host.partitions; partition += 1) {
      const shard = await viewStore(host).read({ view, partition, tables, vectorSpace }, 'as opened').catch(noneYet)
      for (const table of shard === null ? [] : tables)
        for await (const line of dumpTable(shard as NonNullable<typeof shard>, table)) {
          const row = JSON.parse(line) as { readonly space: string }
          lines.push(`${table.name} ${restarted.includes(row.space) ? canonicalJson(shift(row)) : line}`)
        }
      await shard?.close()
    }
  }
  return lines.sort()
}

/** A view of a partition without a record is not written. */
function noneYet(error: unknown): null {
  if (isLoomlogError(error, 'not-found')) return null
  throw error
}

/** A marker takes the first seq. Rows of source events have none, written as 0. */
function shift(value: unknown): Json {
  const shifted = (name: string, each: unknown) =>
    name === 'seq' && typeof each === 'number' ? Math.max(0, each - 1) : each
  return JSON.parse(JSON.stringify(value), shifted) as Json
}

/** The first lines in which two memories differ; both empty: they are equal. */
export function difference(found: readonly string[], expected: readonly string[]) {
  const [had, wanted] = [new Set(found), new Set(expected)]
  const unexpected = found.filter((line) => !wanted.has(line)).slice(0, 2)
  const missing = expected.filter((line) => !had.has(line)).slice(0, 2)
  const firstOutOfOrder = found.findIndex((line, at) => line !== expected[at])
  return { unexpected, missing, firstOutOfOrder }
}

export const equal = { unexpected: [], missing: [], firstOutOfOrder: -1 }
