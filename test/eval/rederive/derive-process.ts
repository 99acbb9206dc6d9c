/**
 * A process that derives once and reports the cost. It takes a `Job` as JSON, ends when everything is derived and
 * searchable, and prints an `Outcome`. Stages, views and commits are those of the product; the process only counts the
 * asks.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { applyGenerationEvent } from '@loomlog/generations/fold'
import { type Generation, noGenerations } from '@loomlog/generations/generations'
import { planGeneration } from '@loomlog/generations/plan'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { definitionEvents } from '@loomlog/generations/store'
import { configFrom } from '@loomlog/host/config'
import { GenerationReader, viewSources } from '@loomlog/host/generation-reader'
import type { ClosablePart, HostedPart } from '@loomlog/host/hosting'
import { openHost } from '@loomlog/host/open'
import { configuredChoices, stageParts } from '@loomlog/host/stage'
import { appendOnce } from '@loomlog/intake/append'
import { type ImportedEvent, readFormat } from '@loomlog/intake/formats'
import type { CompletionStore } from '@loomlog/runtime/answers'
import type { Processor } from '@loomlog/runtime/processor'
import { unthrottled } from '@loomlog/runtime/throttle'
import type { ViewReader } from '@loomlog/views/reader'
import { processorsOf } from '../../../packages/app/processors.ts'
import { stageProgress } from '../../../packages/app/progress.ts'
import { viewParts } from '../../../services/materializer/hosting.ts'

export interface Job {
  /** A file in LoCoMo's format to append first; null: use the log unchanged. */
  readonly append: string | null
  /** A file with a JSON list of utterances and pauses to append first; null: none. */
  readonly appendEvents: string | null
  readonly parts: readonly ('stages' | 'views')[]
  /** By stage: the folder of its prompts. */
  readonly prompts: { readonly [stage: string]: string }
  /** Stages that get a raised revision. */
  readonly raised: readonly string[]
}

export interface Outcome {
  /** Time from the first lease to the last searchable row. */
  readonly seconds: number
  /** CPU time of all threads in that time. */
  readonly cpuSeconds: number
  readonly topics: { readonly [stage: string]: string }
  /** Distinct asks by task: all of them, and those that this run paid for. */
  readonly asks: { readonly [task: string]: { readonly all: number; readonly paid: number } }
}

const pollMs = 50

const job = JSON.parse(process.argv[2] ?? '') as Job
const host = await openHost(configFrom(process.env))
const all = new Map<string, Set<string>>()
const paid = new Map<string, Set<string>>()
countAsks(host.completions)

const place = { tenant: 'default', space: 'eval' }
const appendTo = { log: host.log, codec: host.codec, dir: host.config.dir }
if (job.append !== null) {
  const text = await readFile(job.append, 'utf8')
  await appendOnce(readFormat('locomo', { file: job.append, text, place, appendedAt: 0 }), appendTo)
}
if (job.appendEvents !== null) {
  await appendOnce(JSON.parse(await readFile(job.appendEvents, 'utf8')) as readonly ImportedEvent[], appendTo)
}
const onError = (error: unknown) => {
  console.error(error)
  process.exit(1)
}
const derived = processorsOf(host).map(withChanges)
const plan = planGeneration(derived, (processor) => configuredChoices(host, processor), host.embedder.vectorSpace.name)
const known = definitionEvents(plan).reduce(applyGenerationEvent, noGenerations)
const generation = known.generations.get(plan.id) as Generation
const serving = servingGeneration(generation, host.topics)
const generationReader = new GenerationReader(host, { current: known })
const onBackoff = (_derivation: string, reason: string | null) => reason && console.error(reason)
const stages = stageParts(host, derived, { onCommit() {}, onBackoff, onFrozen: onError, onError })
const before = process.cpuUsage()
const startedAt = performance.now()
const parts: HostedPart[] = []
if (job.parts.includes('stages')) parts.push(...stages(known, generation))
if (job.parts.includes('views')) parts.push(...(await viewParts(host, onError)(known, generation)))
const members: ClosablePart[] = []
for (const part of parts) members.push(await part.start(unthrottled, new AbortController().signal))
await done()
const cpu = process.cpuUsage(before)
const outcome: Outcome = {
  seconds: (performance.now() - startedAt) / 1_000,
  cpuSeconds: (cpu.user + cpu.system) / 1_000_000,
  topics: Object.fromEntries(serving.stages.map(({ stage, writes }) => [stage, writes])),
  asks: Object.fromEntries([...all].map(([task, keys]) => [task, { all: keys.size, paid: paid.get(task)?.size ?? 0 }])),
}
await generationReader.close()
await Promise.all(members.map((member) => member.close()))
await host.close()
console.log(JSON.stringify(outcome))

function withChanges(processor: Processor): Processor {
  const { stage, revision } = processor
  const folder = job.prompts[stage]
  const prompts = folder === undefined ? processor.prompts : new URL(`file://${folder}/`)
  // A stage that rules answer by default gets the model with its prompts.
  const { model, ...rest } = processor
  const asked = folder === undefined && model !== undefined ? { model } : {}
  return { ...rest, ...asked, prompts, revision: job.raised.includes(stage) ? revision + 1 : revision }
}

/** Polls the unfinished parts one after the other, so that polling takes little CPU from the measured work. */
async function done(): Promise<void> {
  const stagesLag = async () => (await stageProgress({ host, known, serving })).some(({ lag }) => lag > 0)
  while (job.parts.includes('stages') && (await stagesLag())) await sleep(pollMs)
  if (!job.parts.includes('views')) return
  const views = await generationReader.viewsOf(serving)
  for (const [topic, source] of viewSources(serving, host)) {
    for (const [partition, end] of (await host.log.endOffsets(source)).entries()) {
      while (!(await hasReached(views, { topic, partition, end }))) await sleep(pollMs)
    }
  }
}

interface End {
  readonly topic: string
  readonly partition: number
  readonly end: number
}

async function hasReached(views: ViewReader, { topic, partition, end }: End): Promise<boolean> {
  if (end === 0) return true
  return (await views.watermark(topic, partition)) >= end
}

/** Counts distinct asks: a look-up that finds an answer, and a recorded answer, which this run paid for. */
function countAsks(book: CompletionStore): void {
  const note = (counts: Map<string, Set<string>>, task: string, key: string) =>
    counts.set(task, (counts.get(task) ?? new Set()).add(key))
  const lookup = book.lookup.bind(book)
  const record = book.record.bind(book)
  book.lookup = async (key) => {
    const found = await lookup(key)
    if (found !== null) note(all, found.task, key)
    return found
  }
  book.record = async (space, answer) => {
    note(all, answer.task, answer.key)
    note(paid, answer.task, answer.key)
    return record(space, answer)
  }
}
