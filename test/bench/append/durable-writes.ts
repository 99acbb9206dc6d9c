/**
 * The cost of durability, in the same run: one record and an fsync of a plain file; and requests of 100 utterances,
 * beside the log's own append of the same records.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type IntakeOptions, recordOf } from '@loomlog/intake/append'
import { utterances } from '../log/workload.ts'
import { partitions } from './bench-logs.ts'
import { type LoopResult, runClosedLoop } from './closed-loop.ts'
import { recordsPerBatch, sendLoad } from './load.ts'
import type { Side } from './sides.ts'

/** Clients of every side. The rate of one client alone would be a latency, which includes the client's own work. */
const clients = 4
/** The topic of the log's own appends. */
const topic = 'hundreds'

export interface DurableWrites {
  /** One record and an fsync. */
  readonly fsync: LoopResult
  /** Utterances a second, a hundred a request: the log's append of encoded records, loomlog's intake, its gateway. */
  readonly hundreds: { readonly log: LoopResult; readonly intake: LoopResult; readonly gateway: LoopResult }
}

export async function measureDurableWrites(
  options: IntakeOptions & { readonly intake: Side; readonly gateway: Side },
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<DurableWrites> {
  const { log, intake, gateway } = options
  // A topic of its own: the intake reads all records that others append to its topic.
  await log.createTopic({ name: topic, partitions, retentionMs: null })
  const measured = { log: [] as LoopResult[], intake: [] as LoopResult[], gateway: [] as LoopResult[] }
  const sides = { log: { measure: loadOnLog(options) }, intake, gateway }
  const fsyncs: LoopResult[] = []
  // The first round warms the sides.
  for (let round = 0; round <= rounds; round += 1) {
    const fsync = await measureFsync(options, seconds)
    if (round > 0) fsyncs.push(fsync)
    for (const name of ['log', 'intake', 'gateway'] as const) {
      const result = await sides[name].measure({ run: `${name}-${round}`, request: 'hundred', clients, seconds })
      if (round > 0) measured[name].push(result)
    }
  }
  const many = (results: readonly LoopResult[]) => {
    const result = median(results)
    return { ...result, perSecond: result.perSecond * recordsPerBatch }
  }
  const { log: own, intake: ofIntake, gateway: ofGateway } = measured
  return { fsync: median(fsyncs), hundreds: { log: many(own), intake: many(ofIntake), gateway: many(ofGateway) } }
}

/** The log's own rate: its append of the records, and their encoding. */
function loadOnLog({ log, codec }: IntakeOptions): Side['measure'] {
  const recordsOf = (batch: Parameters<Parameters<typeof sendLoad>[1]>[0]) => batch.map((each) => recordOf(each, codec))
  return (load) => sendLoad(load, async (batch) => void (await log.append(topic, recordsOf(batch))))
}

async function measureFsync({ dir, codec }: IntakeOptions, seconds: number): Promise<LoopResult> {
  const records = utterances(1).map((each) => recordOf(each, codec))
  const file = openSync(join(dir, 'fsync'), 'a')
  const write = async () => {
    for (const { value } of records) writeSync(file, value)
    fsyncSync(file)
  }
  return await runClosedLoop(write, { clients: 1, seconds }).finally(() => closeSync(file))
}

const none: LoopResult = { count: 0, perSecond: 0, p50Ms: 0, p99Ms: 0 }

function median(rounds: readonly LoopResult[]): LoopResult {
  return rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)] ?? none
}
