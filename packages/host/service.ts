/**
 * A service in a process of its own: configured by the environment, it derives the generations that the log names,
 * until SIGTERM or SIGINT, and then hands over its leases within ten seconds. Logs are JSON lines on stdout. Exit
 * codes: 0 it was stopped, 1 it failed; a supervisor may start it again.
 */
import { LoomlogError } from '@loomlog/errors'
import { GenerationsFollower } from '@loomlog/generations/follower'
import { liveGeneration } from '@loomlog/generations/pointers'
import { traceIds } from '@loomlog/telemetry/spans'
import { startTraces } from '@loomlog/telemetry/start-traces'
import pino, { type Logger } from 'pino'
import type { Registry } from 'prom-client'
import { Conditions, noteTemporaryFailure } from './conditions.ts'
import { configFrom } from './config.ts'
import { startHealth } from './health.ts'
import { limitHeapGrowth } from './heap-growth.ts'
import type { ClosablePart } from './hosting.ts'
import { logLevel } from './log-level.ts'
import type { Host } from './open.ts'
import { openWithRetry } from './open-with-retry.ts'
import { makePrivateFiles } from './private-files.ts'
import { processMetrics } from './process-metrics.ts'
import { type FrozenCheck, ServiceWatch } from './service-watch.ts'

export interface Service {
  readonly host: Host
  readonly follower: GenerationsFollower
  readonly logger: Logger
  readonly conditions: Conditions
  readonly metrics: Registry
  /** Aborts when the service is to stop. */
  readonly signal: AbortSignal
  /** Temporary failures become conditions; any other ends the process. */
  onError(error: unknown): void
}

export interface ServiceProgram {
  readonly name: string
  /** The work of a ready process, for /readyz. */
  readonly readyFor: string
  frozenCheck(host: Host): FrozenCheck
  start(service: Service): Promise<readonly ClosablePart[]>
}

export const stopWithinMs = 9_500

/** Returns when everything is closed; sets the exit code. */
export async function runService(program: ServiceProgram): Promise<void> {
  makePrivateFiles()
  limitHeapGrowth()
  const logger = pino({ name: program.name, level: 'info', mixin: traceIds })
  const conditions = new Conditions(logger)
  const over = new AbortController()
  const fail = (error: unknown) => {
    logger.fatal(error)
    process.exitCode = 1
    stop('a failure')
  }
  const stop = (why: string) => {
    if (over.signal.aborted) return
    logger.info(`stopping: ${why}`)
    over.abort()
    setTimeout(() => exitNow(logger), stopWithinMs).unref()
  }
  process.on('warning', (warning) => logger.warn(warning))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal))
  const onError = (error: unknown) => {
    if (!noteTemporaryFailure(error, conditions, (line) => logger.warn(line))) fail(error)
  }
  const closing: (() => Promise<unknown>)[] = []
  let watch: ServiceWatch | null = null
  let opened: Host | null = null
  const registry = processMetrics({ conditions, leases: () => opened })
  const notReady = () => (over.signal.aborted ? 'stopping' : watch === null ? starting(conditions) : watch.notReady)
  try {
    logger.level = logLevel(process.env, 'info')
    const notAlive = () => watch?.stalled ?? null
    const health = await startHealth(process.env, { ...program, notReady, notAlive, conditions, registry })
    closing.push(health.close)
    const notify = (message: string) => logger.warn(message)
    const config = configFrom(process.env)
    const traces = await startTraces({
      environment: process.env,
      service: program.name,
      messagingSystem: config.log.kind,
      onExportError: notify,
    })
    closing.push(async () => traces?.close())
    const host = await openWithRetry(config, over.signal, onError, notify)
    opened = host
    if (host !== null) {
      conditions.end('log', 'the log answers')
      closing.push(host.close)
      const follower = await GenerationsFollower.open({ ...host, onTemporaryFailure: onError, onError })
      closing.push(() => follower.close())
      const parts = await program.start({
        host,
        follower,
        logger,
        conditions,
        signal: over.signal,
        onError,
        metrics: registry,
      })
      closing.push(() => Promise.all(parts.map((part) => part.close())))
      const started = ServiceWatch.start({ host, follower, conditions, frozenCheck: program.frozenCheck(host) })
      watch = started
      closing.push(() => started.close())
      announce(follower, program, logger)
      await untilOver(over.signal)
    }
  } catch (error) {
    fail(error)
  }
  for (const close of closing.reverse()) await close().catch(fail)
}

function starting({ current }: Conditions): string {
  const [first] = current.values()
  return first === undefined ? 'starting' : `starting: ${first.text}`
}

async function untilOver(over: AbortSignal): Promise<void> {
  if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }))
}

/** Names the live generation, now and whenever it changes. */
function announce(follower: GenerationsFollower, { readyFor }: ServiceProgram, logger: Logger): void {
  let announced: string | null = null
  const look = () => {
    const live = liveGeneration(follower.current, null)?.generation ?? null
    if (live !== null && live !== announced) logger.info(`${readyFor}: generation ${live} is live`)
    announced = live
  }
  follower.onChange(look)
  look()
}

function exitNow(logger: Logger): never {
  logger.fatal(new LoomlogError('log-unavailable', `not stopped within ${stopWithinMs} ms`))
  process.exit(1)
}
