/**
 * Everything in one process: the pipeline, its views, the publisher, the webhooks and the gateway, until the signal
 * aborts.
 */
import { createServer } from 'node:net'
import { GenerationsFollower } from '@loomlog/generations/follower'
import { Conditions, noteTemporaryFailure } from '@loomlog/host/conditions'
import type { Config } from '@loomlog/host/config'
import { startHealth } from '@loomlog/host/health'
import type { Host } from '@loomlog/host/open'
import { processMetrics } from '@loomlog/host/process-metrics'
import { startPublisher } from '@loomlog/publisher/publisher'
import { startTraces } from '@loomlog/telemetry/start-traces'
import { startWebhooks } from '@loomlog/webhooks/webhooks'
import type { Logger } from 'pino'
import { publisherOptions, webhooksOptions } from './feed-options.ts'
import { forgetTextsWithLog } from './forgetting/forget-texts.ts'
import { startForgettings } from './forgetting/forgetting-worker.ts'
import { portError, type RunningGateway, startGateway } from './gateway.ts'
import { type Pipeline, startPipeline } from './pipeline.ts'
import { statusWithConditions } from './status.ts'

export interface ServerOptions {
  readonly address: Config['http']
  readonly logger: Logger
  readonly signal: AbortSignal
  /** Reports frozen stages and upgrades, for people. */
  onNews(text: string): void
}

export interface Server {
  readonly url: string
  readonly pipeline: Pipeline
  /**
   * Aborts when a stage, a view, the publisher, the webhooks or the gateway failed for good; the reason is the error.
   */
  readonly failed: AbortSignal
  close(): Promise<void>
}

/** @throws LoomlogError `config-invalid` where the port can't be used, before anything is derived */
export async function startServer(host: Host, options: ServerOptions): Promise<Server> {
  const { address, logger, signal, onNews } = options
  const conditions = new Conditions(logger)
  const failing = new AbortController()
  const onError = (error: unknown) => {
    if (noteTemporaryFailure(error, conditions, (line) => logger.warn(line))) return
    // The first error ends the server; errors of its end are only logged.
    if (signal.aborted || failing.signal.aborted) logger.error(error)
    else failing.abort(error)
  }
  let gateway: RunningGateway | null = null
  let pipeline: Pipeline | null = null
  const closing: (() => Promise<unknown>)[] = []
  async function close(): Promise<void> {
    await gateway?.close()
    for (const each of closing.splice(0).reverse()) await each()
  }
  try {
    const traces = await startTraces({
      environment: process.env,
      service: 'loomlog',
      messagingSystem: host.config.log.kind,
      onExportError: (text) => logger.warn(text),
    })
    closing.push(async () => traces?.close())
    const registry = processMetrics({ conditions, leases: () => host })
    const health = await startHealth(process.env, {
      readyFor: 'derives the memory, takes utterances and serves recall',
      conditions,
      registry,
      notReady: () => (signal.aborted ? 'stopping' : pipeline === null ? 'starting' : pipeline.watch.notReady),
      notAlive: () => pipeline?.watch.stalled ?? null,
    })
    closing.push(health.close)
    const follower = await GenerationsFollower.open({ ...host, onTemporaryFailure: onError, onError })
    closing.push(() => follower.close())
    const texts = await forgetTextsWithLog(host, { signal, onError })
    closing.push(() => texts.close())
    const status = statusWithConditions(host, conditions)
    gateway = await startGateway({
      host,
      follower,
      logger,
      address,
      status,
      conditions,
      signal,
      onError,
      metrics: registry,
    })
    const started = await startPipeline(host, { conditions, onNews, signal })
    pipeline = started
    closing.push(() => started.close())
    const publisher = await startPublisher(publisherOptions(host, { follower, signal, onError }))
    closing.push(() => publisher.close())
    const webhooks = await startWebhooks(webhooksOptions(host, { conditions, signal, onError }))
    closing.push(() => webhooks.close())
    const forgettings = await startForgettings(host, { signal, logger, onError })
    closing.push(() => forgettings.close())
    for (const line of gateway.news) onNews(line)
    return { url: gateway.url, pipeline: started, failed: AbortSignal.any([started.failed, failing.signal]), close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Checks the port before the log is opened, so that no log is created if the port is taken.
 * @throws LoomlogError `config-invalid`
 */
export async function checkPort(address: Config['http']): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(portError(address, cause)))
    server.listen(address.port, address.host, () => server.close(() => resolve()))
  })
}
