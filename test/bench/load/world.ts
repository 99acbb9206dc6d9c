/**
 * The environment of the loads: a log on a real Kafka with its own topics, a fake endpoint behind the real client, and
 * a stage that asks it. All measured work runs in the runtime, as in a service.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestingCluster, testingCluster } from '@loomlog/kafka-local/testing-cluster'
import { openKafkaLog } from '@loomlog/log/kafka'
import type { Lease, Log } from '@loomlog/log/port'
import { openAiModel } from '@loomlog/models/chat'
import { type FakeEndpoint, startFakeEndpoint } from '@loomlog/models/fake-endpoint'
import { inFlightLimiter } from '@loomlog/models/in-flight-limiter'
import { Answers } from '@loomlog/runtime/answers'
import { CompletionIndex } from '@loomlog/runtime/completion-index'
import { runStage } from '@loomlog/runtime/run'
import { unthrottled } from '@loomlog/runtime/throttle'
import { Codec } from '@loomlog/schemas/codec'
import type { UtteranceAppended } from '@loomlog/schemas/events'
import { spaceKey } from '@loomlog/schemas/ids'
import { judgeProcessor, prompts } from './judge-processor.ts'

export interface Cluster {
  readonly options: TestingCluster['options']
  stop(): Promise<void>
}

export interface World {
  readonly log: Log
  append(utterances: readonly UtteranceAppended[]): Promise<void>
  close(): Promise<void>
}

export interface AskResult {
  readonly endpoint: FakeEndpoint
  /** The leases in the order of their start. More than one for a partition is a rebalance. */
  readonly leases: readonly Lease[]
  readonly errors: readonly unknown[]
  close(): Promise<void>
}

export interface AskOptions {
  readonly latencyMs: number | ((body: string) => number)
  /** The in-flight limit of calls to the model. */
  readonly maxConcurrent: number
  readonly sessionMs: number
  /** Called when a reader sees an output, with its space and the ids of its utterances. */
  onOutput(space: string, ids: readonly string[]): void
}

const outputs = 'topic-shifts.load'
export const partitions = 4

export async function startCluster(): Promise<Cluster> {
  return testingCluster()
}

let worlds = 0

/** A new log on the cluster. */
export async function openWorld({ options }: Cluster): Promise<World & Ingredients> {
  worlds += 1
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-load-'))
  const environment = `${options.environment}-load-${worlds}`
  const log = await openKafkaLog({ ...options, environment, stateDir: join(dir, 'state') })
  for (const name of ['utterances', 'parked', 'completions', outputs]) {
    await log.createTopic({ name, partitions, retentionMs: null })
  }
  const codec = await Codec.open(log.schemas)
  return {
    log,
    codec,
    dir,
    async append(utterances) {
      const records = utterances.map((event) => {
        const key = spaceKey(event.tenant, event.space)
        return { key, value: codec.encode(event), timestamp: event.appendedAt }
      })
      await log.append('utterances', records)
    },
    async close() {
      await log.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

interface Ingredients {
  readonly codec: Codec
  readonly dir: string
}

/** Runs the stage until it is closed. */
export async function askAll({ log, codec, dir }: World & Ingredients, options: AskOptions): Promise<AskResult> {
  const endpoint = await startFakeEndpoint({ latencyMs: options.latencyMs })
  const completions = new CompletionIndex({ log, codec, dir })
  const leases: Lease[] = []
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const model = openAiModel({
    baseUrl: endpoint.baseUrl,
    apiKey: 'none',
    model: 'fake',
    limiter: inFlightLimiter(options.maxConcurrent),
    timeoutMs: 120_000,
  })
  const answers = new Answers({
    stage: judgeProcessor.stage,
    model: { ...model, parameters: {} },
    prompts,
    embedder: null,
    parameters: {},
    completions,
    throttle: unthrottled,
    onBackoff: (reason) => reason === null || errors.push(reason),
  })
  const reading = new AbortController()
  const seen = follow(log, codec, { signal: reading.signal, onOutput: options.onOutput }).catch(onError)
  const members = await runStage({
    log: {
      ...log,
      join: (joining) =>
        log.join({
          ...joining,
          onLease(lease) {
            leases.push(lease)
            return joining.onLease(lease)
          },
        }),
    },
    stage: {
      processor: judgeProcessor,
      derivation: 'load',
      parameters: {},
      reads: 'utterances',
      writes: outputs,
      partitions,
      covers: () => true,
      codec,
      answers,
      throttle: unthrottled,
      completions,
      onCommit: () => {},
    },
    sessionMs: options.sessionMs,
    onError,
  })
  return {
    endpoint,
    leases,
    errors,
    async close() {
      await members.close()
      reading.abort()
      await seen
      await completions.close()
      await endpoint.close()
    },
  }
}

async function follow(
  log: Log,
  codec: Codec,
  { signal, onOutput }: Pick<AskOptions, 'onOutput'> & { readonly signal: AbortSignal },
): Promise<void> {
  for await (const records of log.read({ topic: outputs, until: 'follow', signal })) {
    for (const { value } of records) {
      const event = await codec.decodeOwn(value)
      if (event?.type !== 'BoxSealed') continue
      onOutput(
        event.space,
        event.utterances.map(({ id }) => id),
      )
    }
  }
}

/** The n-th utterance of a conversation in a space. */
export function utterance(space: string, conversation: string, at: number): UtteranceAppended {
  return {
    type: 'UtteranceAppended',
    id: `${conversation}-${at}`,
    tenant: 'load',
    space,
    conversation,
    speaker: 'Maya',
    role: 'human',
    at: 1_750_000_000_000 + at,
    appendedAt: 1_750_000_000_000 + at,
    text: `This is number ${at} of ${conversation} in ${space}.`,
    attachments: [],
    metadata: {},
    isTimeGiven: true,
    canInstruct: true,
    keyId: null,
    principal: null,
  }
}
