/**
 * Starts the gateway: HTTP over the generation that is live for each tenant, and the pauses of quiet conversations.
 * `loomlog up` starts it beside the pipeline, and the gateway service starts it alone.
 */
import { LoomlogError } from '@loomlog/errors'
import { createGateway } from '@loomlog/gateway/gateway'
import { endQuietConversations } from '@loomlog/gateway/quiet-conversations'
import type { GenerationsFollower } from '@loomlog/generations/follower'
import type { Conditions } from '@loomlog/host/conditions'
import type { Config } from '@loomlog/host/config'
import { GenerationReader } from '@loomlog/host/generation-reader'
import { isLoopback } from '@loomlog/host/loopback'
import type { Host } from '@loomlog/host/open'
import { inspectorFiles } from '@loomlog/inspector/static-files'
import { RecallRecorder } from '@loomlog/recall/recall-recorder'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { addCacheMetrics } from './cache-metrics.ts'
import { forgettingOperations } from './forgetting/operations.ts'
import { openGatewayAccess } from './gateway-access.ts'
import { generationOperations } from './generations/operations.ts'
import { parkedOperations } from './parked-operations.ts'
import { statusReader } from './status.ts'
import { addStatusMetrics } from './status-metrics.ts'
import { readTotalUsage, readUsage } from './usage.ts'
import { answerTexts, usedAnswers } from './used-answers.ts'
import { noteWordSearch } from './word-search.ts'

export interface GatewayStart {
  readonly host: Host
  readonly follower: GenerationsFollower
  readonly logger: Logger
  readonly address: Config['http']
  /** The body of GET /v1/status. */
  status(): Promise<object>
  /** The registry of the process; the gateway adds its own metrics. */
  readonly metrics: Registry
  /** Listed by GET /healthz. */
  readonly conditions: Conditions
  /** Ends the pauses of quiet conversations, also during the start. The gateway itself ends with `close`. */
  readonly signal: AbortSignal
  onError(error: unknown): void
}

export interface RunningGateway {
  readonly url: string
  /** Lines for people, printed at start. */
  readonly news: readonly string[]
  close(): Promise<void>
}

/** @throws LoomlogError `config-invalid` where the port can't be used, or keys are missing */
export async function startGateway(start: GatewayStart): Promise<RunningGateway> {
  const { host, follower, logger, address, status, metrics, conditions, signal, onError } = start
  const { httpNames } = host.config
  noteWordSearch(start)
  const generationReader = new GenerationReader(host, follower)
  const onDropped = (count: number, why: string) => logger.warn(`${count} served recalls were not recorded: ${why}`)
  const recalls = host.config.recalls === 'on' ? new RecallRecorder({ ...host, onDropped }) : null
  const { access, tls, news, close: closeAccess } = await openGatewayAccess(start)
  const readStatus = statusReader(host)
  addStatusMetrics(metrics, async () => ({ ...(await readStatus()), usage: { total: await readTotalUsage(host) } }))
  addCacheMetrics(metrics, () => generationReader.cacheBytes)
  const gateway = createGateway({
    ...host,
    dir: host.config.dir,
    inspector: inspectorFiles((line) => logger.warn(line)),
    webhookKey: host.config.webhooks.key,
    webhookNetworks: host.config.webhooks.networks,
    limits: host.config.limits,
    hostNames: isLoopback(address.host) || httpNames.length > 0 ? httpNames : null,
    beginningOf: (space, topic) => host.pendingForgettings.beginningOf(space, topic),
    reading: (tenant, named) => generationReader.open(tenant, named),
    logger,
    status,
    conditions,
    onRetryableError: onError,
    usage: (tenant) => readUsage(host, tenant),
    answersOf: usedAnswers(host, () => follower.current),
    answerText: answerTexts(host, () => follower.current),
    generations: generationOperations(host),
    forgettings: forgettingOperations(host),
    parked: parkedOperations(host),
    recalls,
    access,
    tls,
    metrics,
  })
  async function close(): Promise<void> {
    await gateway.close()
    await recalls?.close()
    await generationReader.close()
    await closeAccess()
  }
  try {
    const url = await gateway.listen({ ...address }).catch((cause) => {
      throw portError(address, cause)
    })
    const { log, codec, config } = host
    const { session, pauseAfterMs, spacePauseAfterMs } = config
    const pausing = { pauseAfterMs, spacePauseAfterMs }
    const quietConversations = await endQuietConversations({ log, codec, session, ...pausing, signal, onError })
    return {
      url,
      news,
      async close() {
        await gateway.close()
        await quietConversations.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

export function portError({ host, port }: Config['http'], cause: NodeJS.ErrnoException): LoomlogError {
  const reason = cause.code === 'EADDRINUSE' ? 'another process listens there' : cause.message
  return new LoomlogError('config-invalid', `port ${port} on ${host} can't be used: ${reason}`, { cause })
}
