/**
 * `loomlog export`: writes a space to a file or a folder. Progress goes to stderr; so does the summary, where the data
 * goes to stdout.
 */
import { archiveLines } from '@loomlog/app/archive/export-archive'
import { spaceRecords } from '@loomlog/app/archive/space-records'
import { cloudEventsOf, topicOfSpaces } from '@loomlog/app/export/cloud-events'
import type { FactToExport } from '@loomlog/app/export/fact-columns'
import { factsAsCsv } from '@loomlog/app/export/facts-csv'
import { writeFactsAsParquet } from '@loomlog/app/export/facts-parquet'
import { writeMarkdown } from '@loomlog/app/export/markdown-folder'
import { type Target, writeNewFile, writeNewFolder } from '@loomlog/app/export/new-file'
import { hasUtterances, requireUtterances, type SpaceToExport } from '@loomlog/app/export/space-export'
import { writeGzipped, writeTexts } from '@loomlog/app/export/write-lines'
import type { MemorySpace } from '@loomlog/client/memory'
import type { Host } from '@loomlog/host/open'
import type { SpaceAddress } from '@loomlog/intake/utterance'
import { spaceKey } from '@loomlog/schemas/ids'
import { count, type Output, print, printJson, printNotice } from '../print.ts'

export interface ExportOptions extends Output {
  readonly target: Target
  readonly place: SpaceAddress
  readonly signal: AbortSignal
}

/** Interval of progress lines. */
const printMs = 5_000

export async function exportArchive(options: ExportOptions, host: Host): Promise<void> {
  const { target, place, signal } = options
  const progress = progressLines('records')
  let counts = { completions: 0, utterances: 0, unreadable: 0 }
  const lines = archiveLines(host, place, (now) => {
    counts = now
    progress(now.completions + now.utterances)
  })
  await writeNewFile(target, (sink) => writeGzipped(lines, sink, signal))
  const { completions, utterances, unreadable } = counts
  noticeUnreadable(unreadable)
  const text = `${count(utterances)} events and ${count(completions)} recorded answers`
  report({ as: 'archive', ...place, ...counts }, text, options)
}

/** @param state `all`: also retired facts */
export async function exportFacts(
  form: 'csv' | 'parquet',
  state: 'current' | 'all',
  options: ExportOptions,
  space: SpaceToExport,
): Promise<void> {
  const { target, signal } = options
  await requireUtterances(space)
  const progress = progressLines('facts')
  let facts = 0
  async function* counted(): AsyncGenerator<FactToExport> {
    for await (const fact of space.memories('fact', state)) {
      signal.throwIfAborted()
      facts += 1
      progress(facts)
      yield { ...fact, space: space.name }
    }
  }
  await writeNewFile(target, (sink) =>
    form === 'csv' ? writeTexts(factsAsCsv(counted()), sink, signal) : writeFactsAsParquet(counted(), sink, signal),
  )
  report({ as: form, ...placeOf(space), state, facts }, `${count(facts)} facts`, options)
}

export async function exportMarkdown(options: ExportOptions, space: SpaceToExport): Promise<void> {
  const { target, signal } = options
  await requireUtterances(space)
  const onFile = progressLines('files')
  const counts = await writeNewFolder(target, (folder) => writeMarkdown(space, folder, { signal, onFile }))
  const text = `${count(counts.documents)} documents and ${count(counts.profiles)} profiles`
  report({ as: 'markdown', ...placeOf(space), ...counts }, text, options)
}

export async function exportTopic(topic: string, options: ExportOptions, host: Host): Promise<void> {
  const { target, place, signal } = options
  const spec = topicOfSpaces(host, topic)
  await requireUtterances({ name: place.space, hasUtterances: () => hasRecords(host, place) })
  let unreadable = 0
  const onUnreadable = () => {
    unreadable += 1
  }
  const { events, counted } = countedTexts(cloudEventsOf(host, { spec, place, onUnreadable }))
  await writeNewFile(target, (sink) => writeTexts(counted, sink, signal))
  noticeUnreadable(unreadable)
  const summary = { as: 'cloudevents', topic, ...place, events: events(), unreadable }
  report(summary, `${count(events())} events of ${topic}`, options)
}

/** The feed has an envelope of its own, which a server has too. */
export async function exportFeed(topic: string, options: ExportOptions, space: MemorySpace): Promise<void> {
  const { target, place, signal } = options
  async function* lines(): AsyncGenerator<string> {
    for await (const event of space.events({ follow: false, signal })) yield `${JSON.stringify(event)}\n`
  }
  await requireUtterances({ name: place.space, hasUtterances: () => hasUtterances(space) })
  const { events, counted } = countedTexts(lines())
  await writeNewFile(target, (sink) => writeTexts(counted, sink, signal))
  report(
    { as: 'cloudevents', topic, space: place.space, events: events() },
    `${count(events())} events of ${topic}`,
    options,
  )
}

/** The log's, which may be ahead of the views. */
async function hasRecords(host: Host, { tenant, space }: SpaceAddress): Promise<boolean> {
  const records = spaceRecords(host, { topic: 'utterances', key: spaceKey(tenant, space) })
  for await (const _ of records) return true
  return false
}

function countedTexts(texts: AsyncIterable<string>) {
  const progress = progressLines('events')
  let events = 0
  async function* counted(): AsyncGenerator<string> {
    for await (const text of texts) {
      events += 1
      progress(events)
      yield text
    }
  }
  return { events: () => events, counted: counted() }
}

function placeOf({ tenant, name }: SpaceToExport): object {
  return { ...(tenant !== null && { tenant }), space: name }
}

function noticeUnreadable(records: number): void {
  if (records > 0)
    printNotice(`loomlog: ${count(records)} records can't be read, so no memory has them: they are left out`)
}

function progressLines(of: string): (done: number) => void {
  let printedAt = performance.now()
  return (done) => {
    const now = performance.now()
    if (now - printedAt < printMs) return
    printedAt = now
    printNotice(`${count(done)} ${of} written`)
  }
}

function report(summary: object, text: string, { target: { to }, place, json }: ExportOptions): void {
  if (to === '-') printNotice(json ? JSON.stringify(summary) : text)
  else if (json) printJson({ ...summary, to })
  else print(`${text} of the space ${place.space}: ${to}`)
}
