/**
 * A process of its own that derives once and says what that took: started with a `Job` as JSON, ends when everything is derived
 * and can be searched, and prints an `Outcome`. The stages, views and commits are the product's; only who is asked is counted.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { servingOf } from '@loomlog/generations/serving'
import { configFrom } from '@loomlog/host/config'
import { openHost, viewsUri } from '@loomlog/host/open'
import { configuredGeneration, createDerivedTopics, stageOf } from '@loomlog/host/stage'
import { appendOnce } from '@loomlog/intake/append'
import { readFormat } from '@loomlog/intake/formats'
import type { AnswerBook } from '@loomlog/runtime/answers'
import type { Processor } from '@loomlog/runtime/processor'
import { runStage } from '@loomlog/runtime/run'
import { processors, viewReader, viewSources } from '../../../packages/cli/generation.ts'
import { stageProgress, viewProgress } from '../../../packages/cli/progress.ts'
import { materialize } from '../../../services/materializer/materializer.ts'

export interface Job {
  /** A file in LoCoMo's format to append first; null: what is in the log. */
  readonly append: string | null
  readonly parts: readonly ('stages' | 'views')[]
  /** By stage: the folder that its prompts are read from. */
  readonly prompts: { readonly [stage: string]: string }
  /** Stages that are taken for a new version with a raised revision. */
  readonly raised: readonly string[]
}

export interface Outcome {
  /** From the first lease to the last row that can be found. */
  readonly seconds: number
  /** Of all threads of the process, in that time. */
  readonly cpuSeconds: number
  readonly topics: { readonly [stage: string]: string }
  /** Distinct asks by task: those that were needed, and those that were paid for now. */
  readonly asks: { readonly [task: string]: { readonly all: number; readonly paid: number } }
}

const lookMs = 20

const job = JSON.parse(process.argv[2] ?? '') as Job
const host = await openHost(configFrom(process.env))
const all = new Map<string, Set<string>>()
const paid = new Map<string, Set<string>>()
countAsks(host.answers)

if (job.append !== null) {
  const place = { tenant: 'default', space: 'eval' }
  const text = await readFile(job.append, 'utf8')
  const incoming = readFormat('locomo', { file: job.append, text, place, appendedAt: 0 })
  await appendOnce(incoming, {
    log: host.log,
    codec: host.codec,
    signal: new AbortController().signal,
    onProgress() {},
  })
}
const plan = configuredGeneration(host, processors.map(changed))
await createDerivedTopics(host, plan)
const serving = servingOf(plan)
const { session } = host.config
const onError = (error: unknown) => {
  console.error(error)
  process.exit(1)
}
const before = process.cpuUsage()
const startedAt = performance.now()
const members = []
if (job.parts.includes('stages')) {
  for (const planned of plan.stages) {
    const stage = stageOf(host, planned, { onCommit() {}, onPause: (reason) => reason && console.error(reason) })
    members.push(await runStage({ log: host.log, stage, ...session, onError }))
  }
}
if (job.parts.includes('views')) {
  const vectors = { embedder: host.embedder, book: host.answers, cache: host.viewVectors }
  const common = { log: host.log, codec: host.codec, vectors, views: viewsUri(host.config), ...session, onError }
  for (const [topic, source] of viewSources(serving)) members.push(await materialize({ ...common, topic, source }))
}
const views = viewReader(host, serving)
while (!(await isDone())) await sleep(lookMs)
const cpu = process.cpuUsage(before)
const outcome: Outcome = {
  seconds: (performance.now() - startedAt) / 1_000,
  cpuSeconds: (cpu.user + cpu.system) / 1_000_000,
  topics: Object.fromEntries(serving.stages.map(({ stage, writes }) => [stage, writes])),
  asks: Object.fromEntries([...all].map(([task, keys]) => [task, { all: keys.size, paid: paid.get(task)?.size ?? 0 }])),
}
await views.close()
await Promise.all(members.map((member) => member.close()))
await host.close()
console.log(JSON.stringify(outcome))

function changed(processor: Processor): Processor {
  const { stage, revision } = processor
  const folder = job.prompts[stage]
  const prompts = folder === undefined ? processor.prompts : new URL(`file://${folder}/`)
  return { ...processor, prompts, revision: job.raised.includes(stage) ? revision + 1 : revision }
}

async function isDone(): Promise<boolean> {
  if (job.parts.includes('stages') && (await stageProgress(host, serving)).some(({ lag }) => lag > 0)) return false
  return !job.parts.includes('views') || (await viewProgress(host, serving, views)).every(({ lag }) => lag <= 0)
}

/** Every ask that a step needs is looked up first, and recorded if it had to be paid for. */
function countAsks(book: AnswerBook): void {
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
