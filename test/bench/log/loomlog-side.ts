/**
 * loomlog's side: the null processor on every partition of `utterances`, in this process, under the runtime like every
 * stage. The clock starts with the first lease and ends with the commit of the last utterance.
 */
import type { Lease, Log } from '@loomlog/log/port'
import { Answers } from '@loomlog/runtime/answers'
import { runStage, type Stage } from '@loomlog/runtime/run'
import { unthrottled } from '@loomlog/runtime/throttle'
import type { Codec } from '@loomlog/schemas/codec'
import { nullProcessor } from './null-processor.ts'

export interface LoomlogRun {
  readonly ms: number
  readonly commits: number
  /** The mean time of a `commit` call. */
  readonly commitMs: number
  /** CPU time of this process an utterance. */
  readonly cpuMicros: number
}

interface Side {
  readonly log: Log
  readonly codec: Codec
  readonly partitions: number
  /** The derivation's name, unique on this log. */
  readonly derivation: string
  /** The number of all utterances. */
  readonly size: number
}

export async function runLoomlogSide(side: Side): Promise<LoomlogRun> {
  const { log, derivation, size } = side
  await log.createTopic({ name: outputsOf(derivation), partitions: side.partitions, retentionMs: null })
  const done = Promise.withResolvers<number>()
  let startedAt = 0
  let records = 0
  let commits = 0
  let committingMs = 0
  const stage = nullStage(side, (committed) => {
    records += committed
    commits += 1
    if (records === size) done.resolve(performance.now() - startedAt)
  })
  const cpuBefore = process.cpuUsage()
  const onLease = (lease: Lease) => {
    startedAt ||= performance.now()
    const commit = lease.commit.bind(lease)
    lease.commit = async (batch) => {
      const from = performance.now()
      await commit(batch)
      committingMs += performance.now() - from
    }
  }
  const members = await runStage({ log: watchLeases(log, onLease), stage, onError: done.reject })
  const ms = await done.promise
  const { user, system } = process.cpuUsage(cpuBefore)
  await members.close()
  return { ms, commits, commitMs: committingMs / commits, cpuMicros: (user + system) / size }
}

export function outputsOf(derivation: string): string {
  return `topic-shifts.${derivation}`
}

function watchLeases(log: Log, onLease: (lease: Lease) => void): Log {
  return {
    ...log,
    join: (options) =>
      log.join({
        ...options,
        onLease(lease) {
          onLease(lease)
          return options.onLease(lease)
        },
      }),
  }
}

function nullStage({ codec, derivation, partitions }: Side, onRecords: (committed: number) => void): Stage {
  const refuse = (): never => {
    throw new Error('the null processor has no asks')
  }
  const completions = { follow: async () => {}, lookup: refuse, record: refuse }
  const withoutModel = {
    stage: nullProcessor.stage,
    model: null,
    prompts: new Map(),
    embedder: null,
    parameters: {},
    throttle: unthrottled,
    onBackoff: refuse,
  }
  return {
    processor: nullProcessor,
    derivation,
    parameters: {},
    reads: 'utterances',
    writes: outputsOf(derivation),
    partitions,
    covers: () => true,
    codec,
    answers: new Answers({ ...withoutModel, completions }),
    throttle: unthrottled,
    completions,
    onCommit: ({ records }) => onRecords(records),
  }
}
