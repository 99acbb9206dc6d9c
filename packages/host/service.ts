/**
 * A service in a process of its own: configured by the environment, it does what the log says is to be derived, until SIGTERM or
 * SIGINT, and then hands on what it holds within ten seconds. Logs are JSON lines on stdout. Exit codes: 0 it was told to stop,
 * 1 it could not go on; whoever started it may start it again.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { GenerationsFollower } from '@loomlog/generations/follower'
import { answering } from '@loomlog/generations/pointers'
import pino, { type Logger } from 'pino'
import { configFrom } from './config.ts'
import { type Environment, invalid, wholeNumber } from './environment.ts'
import { type Health, startHealth } from './health.ts'
import type { Part } from './hosting.ts'
import type { Host } from './open.ts'
import { openWhenThere } from './opening.ts'

export interface Service {
  readonly host: Host
  readonly follower: GenerationsFollower
  readonly logger: Logger
  /** Aborts when the service is told to stop. */
  readonly signal: AbortSignal
  /** What may pass is logged; anything else ends the process. */
  onError(error: unknown): void
}

export const stopWithinMs = 9_500
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Returns when all is closed; sets the exit code. */
export async function runService(name: string, start: (service: Service) => Promise<readonly Part[]>): Promise<void> {
  const logger = pino({ name, level: 'info' })
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
  const onError = (error: unknown) => (mayPass(error) ? logger.warn(error) : fail(error))
  const closing: (() => Promise<unknown>)[] = []
  try {
    logger.level = level(process.env)
    const health = await startHealth(healthPort(process.env))
    closing.push(health.close)
    const onTrouble = (error: LoomlogError) => {
      health.notReady = error.message
      logger.warn(error)
    }
    const notify = (message: string) => logger.warn(message)
    const host = await openWhenThere(configFrom(process.env), over.signal, onTrouble, notify)
    if (host !== null) {
      closing.push(host.close)
      health.notReady = 'there is no live generation yet'
      const follower = await GenerationsFollower.open({ ...host, onTrouble: onError, onError })
      closing.push(() => follower.close())
      const parts = await start({ host, follower, logger, signal: over.signal, onError })
      closing.push(() => Promise.all(parts.map((part) => part.close())))
      readyWithGeneration(follower, health, logger, over.signal)
      await untilOver(over.signal, health)
    }
  } catch (error) {
    fail(error)
  }
  for (const close of closing.reverse()) await close().catch(fail)
}

async function untilOver(over: AbortSignal, health: Health): Promise<void> {
  if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }))
  health.notReady = 'stopping'
}

/** Ready once a generation is live. */
function readyWithGeneration(follower: GenerationsFollower, health: Health, logger: Logger, over: AbortSignal): void {
  const look = () => {
    const live = answering(follower.current, null)
    if (over.aborted || health.notReady === null) return
    health.notReady = live === null ? 'there is no live generation yet' : null
    if (live !== null) logger.info(`ready: generation ${live.generation}`)
  }
  follower.onChange(look)
  look()
}

/** A lease that was lost goes to another owner, or comes back: no failure of the service. */
function mayPass(error: unknown): boolean {
  return isLoomlogError(error) && (error.retryable || error.code === 'fenced')
}

function exitNow(logger: Logger): never {
  logger.fatal(new LoomlogError('log-unavailable', `not stopped within ${stopWithinMs} ms`))
  process.exit(1)
}

function healthPort(environment: Environment): number | null {
  if (environment.LOOMLOG_HEALTH_PORT === undefined) return null
  return wholeNumber(environment, 'LOOMLOG_HEALTH_PORT', { fallback: null, least: 1, most: 65_535 })
}

function level(environment: Environment): string {
  const given = environment.LOOMLOG_LOG_LEVEL ?? 'info'
  if (levels.includes(given)) return given
  throw invalid('LOOMLOG_LOG_LEVEL', given, levels.join(', '))
}
