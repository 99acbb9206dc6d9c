/**
 * Subscribers of the feed over HTTP, by webhook and in a Kafka group: each runs in processes that a test kills, and
 * knows the ids of its events.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Environment, type RunningProgram, startProgram } from '../loomlog.ts'

export interface FeedSubscriber {
  readonly name: string
  /** The tenant of its events; null: every tenant. */
  readonly tenant: string | null
  /** Starts those of its processes that don't run. */
  start(): void
  /** @param at chooses the process, if there are several */
  kill(at: number): Promise<void>
  end(): Promise<void>
  /** In the order of their arrival. */
  ids(): readonly string[]
}

const example = fileURLToPath(new URL('../../../examples/subscriber/main.ts', import.meta.url))
const deliverer = fileURLToPath(new URL('./deliver-webhooks.ts', import.meta.url))
const receiver = fileURLToPath(new URL('./webhook-receiver.ts', import.meta.url))
const groupConsumer = fileURLToPath(new URL('../../kafka/group-consumer.ts', import.meta.url))

/** By the Durable Streams protocol: the program in examples/subscriber. */
export function httpSubscriber(url: string, dir: string): FeedSubscriber {
  const file = join(dir, 'feed.jsonl')
  const ids = () =>
    linesOf(file).flatMap((line) =>
      (JSON.parse(line) as { readonly events: readonly { readonly id: string }[] }).events.map(({ id }) => id),
    )
  return feedSubscriber('http', 'acme', ids, [() => startProgram([`${url}/v1/feed`, file], {}, example)])
}

/** Two processes: the webhooks service, and the receiver. Either may be killed. */
export function webhookSubscriber(environment: Environment, dir: string, port: number): FeedSubscriber {
  const file = join(dir, 'webhook-ids')
  return feedSubscriber('webhook', 'acme', () => linesOf(file), [
    () => startProgram([], environment, deliverer),
    () => startProgram([file, String(port)], {}, receiver),
  ])
}

export function kafkaSubscriber(environment: Environment, dir: string): FeedSubscriber {
  const file = join(dir, 'kafka-ids')
  const { LOOMLOG_KAFKA_BROKERS: brokers = '', LOOMLOG_KAFKA_ENVIRONMENT: name = '' } = environment
  const { LOOMLOG_SESSION_MS: sessionMs = '' } = environment
  const args = [file, brokers, `${name}.memory-events`, `${name}-crm`, sessionMs]
  return feedSubscriber('kafka group', null, () => linesOf(file), [() => startProgram(args, {}, groupConsumer)])
}

function feedSubscriber(
  name: string,
  tenant: string | null,
  ids: FeedSubscriber['ids'],
  starts: readonly (() => RunningProgram)[],
): FeedSubscriber {
  const running: (RunningProgram | null)[] = starts.map(() => null)
  async function kill(at: number): Promise<void> {
    const index = at % starts.length
    const one = running[index]
    running[index] = null
    if (!one) return
    one.process.kill('SIGKILL')
    const { signal, stderr } = await one.finished
    if (signal !== 'SIGKILL') throw new Error(`the subscriber by ${name} ended by itself: ${stderr}`)
  }
  return {
    name,
    tenant,
    ids,
    kill,
    start() {
      for (const [at, each] of starts.entries()) running[at] ??= each()
    },
    end: async () => void (await Promise.all(starts.map((_, at) => kill(at)))),
  }
}

/** The complete lines of a file: the last one may be half written. */
function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
}
