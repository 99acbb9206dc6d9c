/**
 * The fixture of the runtime's tests: a real log in a folder of its own, and stages that run on it until the test ends.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log, LogRecord, Membership } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import type { AnswerRecorded, DerivedEvent, LoomEvent, SpaceEvent } from '@loomlog/schemas/events'
import { canonicalJson, type Json, spaceKey } from '@loomlog/schemas/ids'
import { catalogue, physicalTopic } from '@loomlog/topics/catalogue'
import { Answers, type Model, type StageEmbedder } from './answers.ts'
import { CompletionIndex } from './completion-index.ts'
import type { Processor } from './processor.ts'
import { runStage } from './run.ts'
import type { Stage } from './stage.ts'
import { unthrottled } from './throttle.ts'

const derivation = 'd1'

/** A log with the topics of two stages, and the answers recorded in it. */
export interface World {
  readonly dir: string
  readonly log: Log
  readonly codec: Codec
  readonly completions: CompletionIndex
  readonly partitions: number
  append(events: readonly SpaceEvent[]): Promise<void>
  /** All events of a topic, partition after partition. */
  events(topic: string): Promise<readonly LoomEvent[]>
  records(topic: string): Promise<readonly LogRecord[]>
  close(): Promise<void>
}

export async function openWorld(dir: string, partitions = 1): Promise<World> {
  const log = openSqliteLog({ dir })
  for (const spec of catalogue) {
    const count = spec.partitioning === 'one' ? 1 : partitions
    const topic = physicalTopic(spec, spec.derivedFrom === null ? null : derivation)
    await log.createTopic({ name: topic, partitions: count, retentionMs: null })
  }
  const codec = await Codec.open(log.schemas)
  const completions = new CompletionIndex({ log, codec, dir })
  async function records(topic: string): Promise<readonly LogRecord[]> {
    const found: LogRecord[] = []
    for await (const batch of log.read({ topic, until: 'end' })) found.push(...batch)
    return found
  }
  return {
    dir,
    log,
    codec,
    completions,
    partitions,
    records,
    async append(events) {
      await log.append(
        'utterances',
        events.map((event) => recordOf(codec, event)),
      )
    },
    async events(topic) {
      const own = await Promise.all((await records(topic)).map((record) => codec.decodeOwn(record.value)))
      return own.filter((event) => event !== null)
    },
    async close() {
      await completions.close()
      await log.close()
    },
  }
}

/** A world in a folder that is deleted after the test. */
export async function world(test: TestContext, partitions = 1): Promise<World> {
  const dir = await folder(test)
  const opened = await openWorld(dir, partitions)
  test.after(() => opened.close())
  return opened
}

export async function folder(test: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-runtime-'))
  test.after(() => rm(dir, { recursive: true, force: true }))
  return dir
}

export function recordOf(codec: Codec, event: SpaceEvent) {
  return { key: spaceKey(event.tenant, event.space), value: codec.encode(event), timestamp: 1 }
}

export interface StageOptions {
  readonly model?: Model | null
  readonly embedder?: StageEmbedder | null
  readonly onBackoff?: (reason: string | null) => void
  readonly onCommit?: Stage['onCommit']
  readonly covers?: Stage['covers']
  readonly throttle?: Stage['throttle']
}

export function stageOf(world: World, processor: Processor, options: StageOptions = {}): Stage {
  const { codec, completions } = world
  const answers = new Answers({
    stage: processor.stage,
    model: options.model ?? null,
    prompts: new Map(processor.tasks.map((task) => [task.name, `the prompt of ${task.name}`])),
    embedder: options.embedder ?? null,
    parameters: processor.parameters,
    completions,
    throttle: options.throttle ?? unthrottled,
    onBackoff: options.onBackoff ?? (() => {}),
  })
  return {
    processor,
    derivation,
    parameters: processor.parameters,
    reads: physicalTopic(processor.reads, processor.reads.derivedFrom === null ? null : derivation),
    writes: physicalTopic(processor.writes, derivation),
    partitions: world.partitions,
    covers: options.covers ?? (() => true),
    codec,
    answers,
    throttle: options.throttle ?? unthrottled,
    completions,
    onCommit: options.onCommit ?? (() => {}),
  }
}

/** A stage at work, and the errors that it has reported. */
export interface Running {
  readonly members: Membership
  readonly errors: readonly unknown[]
  close(): Promise<void>
}

export async function run(
  world: World,
  processor: Processor,
  options: StageOptions & { readonly sessionMs?: number } = {},
): Promise<Running> {
  const errors: unknown[] = []
  const { sessionMs, ...rest } = options
  const members = await runStage({
    log: world.log,
    stage: stageOf(world, processor, rest),
    ...(sessionMs === undefined ? {} : { sessionMs }),
    onError: (error) => errors.push(error),
  })
  return { members, errors, close: () => members.close() }
}

/** Waits until the group has committed its whole topic. */
export async function caughtUp(world: World, topic = 'utterances'): Promise<void> {
  await until(async () => {
    const ends = await world.log.endOffsets(topic)
    const groups = (await world.log.groups()).filter((group) => group.topic === topic)
    const done = ends.map((_, partition) => groups.find((group) => group.partition === partition)?.position ?? 0)
    return ends.every((end, partition) => (done[partition] ?? 0) >= end)
  }, `everything in ${topic} is done`)
}

const mostWaitMs = 60_000

/** Waits for a condition; the error names it. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + mostWaitMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${what}`)
    await sleep(5)
  }
}

export const boxes = `topic-shifts.${derivation}`

/** The derived boxes in the topic's order, as `space: topic`. */
export async function topics(world: World): Promise<readonly string[]> {
  const events = await world.events(boxes)
  return events.flatMap((event) => (event.type === 'BoxSealed' ? [`${event.space}: ${event.topic}`] : []))
}

/** The canonical dump: per space, in order, without offsets and times of the log. */
export async function dump(world: World, topic = boxes): Promise<ReadonlyMap<string, readonly string[]>> {
  const spaces = new Map<string, string[]>()
  for (const event of (await world.events(topic)) as readonly DerivedEvent[]) {
    if (!('space' in event)) continue
    const lines = spaces.get(event.space) ?? []
    spaces.set(event.space, [...lines, canonicalJson(event as unknown as Json)])
  }
  return new Map([...spaces].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** An answer that the log may hold. */
export function answer(key: string, text: string, rest: Partial<AnswerRecorded> = {}): AnswerRecorded {
  const place = { tenant: 't', space: 's', task: 'judge', model: 'toy', stage: 'toy-stage', prompt: 'p1' }
  const counts = { attempts: 1, calls: 1, inputTokens: 0, outputTokens: 0 }
  return {
    type: 'AnswerRecorded',
    key,
    ...place,
    answer: text,
    vector: null,
    none: null,
    ...counts,
    since: 0,
    keyId: null,
    ...rest,
  }
}

/** Appends recorded answers without an index. */
export async function appendAnswers({ log, codec }: Pick<World, 'log' | 'codec'>, ...answers: AnswerRecorded[]) {
  const records = answers.map((each) => ({ key: 't/s', value: codec.encode(each), timestamp: 1 }))
  await log.append('completions', records)
}
