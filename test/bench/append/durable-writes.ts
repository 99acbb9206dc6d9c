/**
 * The cost of durability, in the same run: one record and an fsync of a plain file beside a single append over HTTP, by one client; and requests of
 * 100 utterances beside the log's own append of the same records.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type IntakeOptions, recordOf } from '@loomlog/intake/append'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { utterances } from '../log/workload.ts'
import { partitions } from './bench-logs.ts'
import { closedLoop, type LoopResult } from './closed-loop.ts'
import type { BatchSide } from './sides.ts'

const recordsOfARequest = 100
/** Of the log's own appends. */
const topic = 'hundreds'
const texts = utterances(4_000)

export interface DurableWrites {
  /** One record and an fsync. */
  readonly fsync: LoopResult
  /** In utterances, a hundred a request: the log's append of encoded records, loomlog's intake, its gateway. */
  readonly hundreds: { readonly log: LoopResult; readonly intake: LoopResult; readonly gateway: LoopResult }
}

export async function durableWrites(
  options: IntakeOptions & { readonly intake: BatchSide; readonly gateway: BatchSide },
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<DurableWrites> {
  const { log, codec, dir, intake, gateway } = options
  // A topic of its own: the intake reads all that others append to its topic.
  await log.createTopic({ name: topic, partitions, retentionMs: null })
  const record = recordOf(texts[0] as UtteranceAppended, codec)
  const file = openSync(join(dir, 'fsync'), 'a')
  const sides = {
    fsync: async () => {
      writeSync(file, record.value)
      fsyncSync(file)
    },
    log: async (batch: readonly UtteranceAppended[]) =>
      void (await log.append(
        topic,
        batch.map((each) => recordOf(each, codec)),
      )),
    intake: (batch: readonly UtteranceAppended[]) => intake.appendAll(batch),
    gateway: (batch: readonly UtteranceAppended[]) => gateway.appendAll(batch),
  }
  const measured = {
    fsync: [] as LoopResult[],
    log: [] as LoopResult[],
    intake: [] as LoopResult[],
    gateway: [] as LoopResult[],
  }
  // The first round warms the sides.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of ['fsync', 'log', 'intake', 'gateway'] as const) {
      const batch = (n: number) => (name === 'fsync' ? [] : hundred(`${name}-${round}`, n))
      const result = await closedLoop((n) => sides[name](batch(n)), { clients: 1, seconds })
      if (round > 0) measured[name].push(result)
    }
  }
  closeSync(file)
  const [fsync, own, ofIntake, ofGateway] = [measured.fsync, measured.log, measured.intake, measured.gateway].map(
    median,
  )
  const many = (result = none) => ({ ...result, perSecond: result.perSecond * recordsOfARequest })
  return { fsync: fsync ?? none, hundreds: { log: many(own), intake: many(ofIntake), gateway: many(ofGateway) } }
}

const none: LoopResult = { count: 0, perSecond: 0, p50Ms: 0, p99Ms: 0 }

/** All of one space: a request names one. */
function hundred(run: string, n: number): readonly UtteranceAppended[] {
  return Array.from({ length: recordsOfARequest }, (_, at) => {
    const index = n * recordsOfARequest + at
    return { ...(texts[index % texts.length] as UtteranceAppended), id: `${run}-${index}`, space: `space-${n % 40}` }
  })
}

function median(rounds: readonly LoopResult[]): LoopResult {
  return rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)] ?? none
}
