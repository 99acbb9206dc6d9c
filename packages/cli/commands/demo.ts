/**
 * `loomlog demo`: derives the memory of a sample conversation of people and agents over ten weeks, by rules, and
 * answers three questions with citations. Needs no key, no Docker and no network.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deriveAll } from '@loomlog/app/derive-all'
import { eventsOf } from '@loomlog/app/derived-events'
import { withReading } from '@loomlog/app/generations/live'
import type { ServingGeneration } from '@loomlog/generations/serving-generation'
import { configFrom } from '@loomlog/host/config'
import { type Host, openHost } from '@loomlog/host/open'
import { appendOnce } from '@loomlog/intake/append'
import { readFormat } from '@loomlog/intake/formats'
import { recall } from '@loomlog/recall/recall'
import { why } from '@loomlog/recall/why'
import type { DerivedEvent } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { dateText, faint, heading, type Output, print, printJson, printNotice } from '../print.ts'
import { stderrConditions } from '../progress-line.ts'
import { printEvidence } from './recall.ts'
import { printLineage } from './why.ts'

const file = new URL('../demo/conversation.jsonl', import.meta.url)
const place = { tenant: 'default', space: 'demo' }
const questions = ['Where does Maya live?', "What was wrong with the boat's engine?", 'When is the tide workshop?']

export interface DemoOptions extends Output {
  /** The folder that keeps the log and views; null: they are removed at the end. */
  readonly keep: string | null
}

export async function demo(options: DemoOptions, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  const dir = options.keep ?? (await mkdtemp(join(tmpdir(), 'loomlog-demo-')))
  // The rest of the environment is ignored: the demo calls no model.
  const host = await openHost(configFrom({ LOOMLOG_DIR: dir }))
  try {
    const serving = await derive(host, signal)
    if (serving === null) return
    const summary = await showMemory(host, serving, options)
    const seconds = (performance.now() - startedAt) / 1_000
    if (options.json) printJson({ ...summary, seconds })
    else print(`\nDone in ${seconds.toFixed(1)} s.${options.keep === null ? '' : ` Log and views are in ${dir}.`}`)
  } finally {
    await host.close()
    if (options.keep === null) await rm(dir, { recursive: true, force: true })
  }
}

async function derive(host: Host, signal: AbortSignal): Promise<ServingGeneration | null> {
  const text = await readFile(file, 'utf8')
  const events = readFormat('jsonl', { file: 'conversation.jsonl', text, place, appendedAt: Date.now() })
  const utterances = events.filter((event) => event.type === 'UtteranceAppended').length
  printNotice(
    `appending ${utterances} utterances of people and agents, and deriving boxes, facts, timelines and documents by rules`,
  )
  await appendOnce(events, { log: host.log, codec: host.codec, dir: host.config.dir })
  return deriveAll(host, { signal, conditions: stderrConditions(), onNews: printNotice, onProgress: () => {} })
}

async function showMemory(host: Host, serving: ServingGeneration, { json }: Output) {
  const events: DerivedEvent[] = []
  for (const stage of serving.stages) {
    for await (const { event } of eventsOf(host, stage.writes)) events.push(event as DerivedEvent)
  }
  const space = spaceKey(place.tenant, place.space)
  const { answers, lineage } = await withReading(host, place.tenant, async ({ views, embedder }) => {
    const options = { log: host.log, codec: host.codec, views, embedder }
    const answers = []
    for (const query of questions) {
      const { items: memories, text } = await recall({ space, query, limit: 3 }, options)
      answers.push({ query, memories, text })
    }
    const traced = answers[0]?.memories.find((memory) => memory.kind === 'fact') ?? answers[0]?.memories[0]
    return { answers, lineage: traced ? await why(traced.id, space, options) : null }
  })
  if (!json) {
    showTopics(events)
    showFacts(events)
    showTimeline(events)
    showDocument(events)
    for (const { query, memories, text } of answers) {
      print(`\n${heading(`? ${query}`)}`)
      printEvidence({ items: memories, text })
    }
    if (lineage) {
      print(`\n${heading('Where does the first answer come from?')}`)
      printLineage(lineage)
    }
  }
  return { generation: serving.id, events: countByType(events), answers, lineage }
}

function of<T extends DerivedEvent['type']>(events: readonly DerivedEvent[], type: T) {
  return events.filter((event): event is Extract<DerivedEvent, { type: T }> => event.type === type)
}

function showTopics(events: readonly DerivedEvent[]): void {
  const boxes = of(events, 'BoxSealed')
  print(`\n${heading(`${boxes.length} boxes, sealed when the topic shifts`)}`)
  for (const box of boxes)
    print(`  ${faint(dateText(box.startedAt))}  ${box.topic} ${faint(`(${box.utterances.length}, ${box.cut})`)}`)
}

function showFacts(events: readonly DerivedEvent[]): void {
  const facts = of(events, 'FactRecorded')
  print(`\n${heading(`${facts.length} facts; the first 12`)}`)
  for (const fact of facts.slice(0, 12)) print(`  ${fact.text} ${faint(`[${fact.sources.join(', ')}]`)}`)
}

/** Prints the longest timeline. */
function showTimeline(events: readonly DerivedEvent[]): void {
  const links = of(events, 'EventLinked')
  const [trace = []] = [...Map.groupBy(links, (link) => link.trace).values()].sort((a, b) => b.length - a.length)
  const happened = new Map(of(events, 'FactRecorded').map((event) => [event.id, event]))
  print(`\n${heading(`A timeline across ${trace.length} events: ${trace.at(-1)?.title ?? ''}`)}`)
  for (const link of trace) {
    const event = happened.get(link.event)
    print(
      `  ${faint((event?.when?.text ?? '').padEnd(10))}  ${event?.text ?? ''} ${faint(`[${event?.sources.join(', ')}]`)}`,
    )
  }
}

/** Prints Maya's profile, with its replaced entries. */
function showDocument(events: readonly DerivedEvent[]): void {
  const profile = of(events, 'DocumentDescribed').findLast(
    (document) => document.kind === 'profile' && document.entity === 'Maya',
  )
  if (!profile) return
  const retired = new Map(of(events, 'EntryRetired').map((event) => [event.entry, event]))
  print(`\n${heading(profile.title)}\n  ${profile.summary}`)
  for (const entry of of(events, 'EntryWritten').filter((written) => written.document === profile.document)) {
    const until = retired.get(entry.id)
    const line = `${entry.heading}: ${entry.text} ${faint(`[${entry.sources.join(', ')}]`)}`
    print(until ? faint(`  ${line} ${until.reason} ${dateText(until.validTo)}`) : `  ${line}`)
  }
}

function countByType(events: readonly DerivedEvent[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const event of events) counts[event.type] = (counts[event.type] ?? 0) + 1
  return counts
}
