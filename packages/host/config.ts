/**
 * What a process is told from outside: environment variables, checked at start. Every one has a default, and a wrong value is
 * refused with its name, the value and what was expected. Secrets are never part of a message.
 */
import { join } from 'node:path'
import { type EmbedderConfig, type EndpointConfig, embedderConfigs, endpoint } from './endpoint-config.ts'
import { type Environment, invalid, wholeNumber } from './environment.ts'
import { type LogConfig, logConfig } from './log-config.ts'
import { type Prices, pricesFrom } from './prices.ts'

export interface Config {
  /**
   * The folder that holds the log, the views and what can be made from them again. A log on Kafka has a folder of its own within
   * LOOMLOG_DIR, since what was made from one log says nothing about another.
   */
  readonly dir: string
  readonly log: LogConfig
  /** Where the views stand, if not in `dir`: a folder or the URI of an object store. */
  readonly views: string | null
  /** Partitions of a new log; one that exists keeps its own. */
  readonly partitions: number
  /** A process that is not heard of for `sessionMs` loses its partitions to others; not set: the log's own default. */
  readonly session: { readonly sessionMs?: number }
  /** A conversation to which nothing was appended for this long is taken to pause, and its open box is sealed. */
  readonly pauseAfterMs: number
  /** A partition whose records wait for longer, without a commit, has stalled: the process is not alive any more. */
  readonly stallMs: number
  /** Where the gateway listens. */
  readonly http: { readonly host: string; readonly port: number }
  /** How many requests read views at once in the gateway, and how many wait for a place, and for how long. */
  readonly reading: { readonly reads: number; readonly queuedReads: number; readonly queueMs: number }
  /** Names under which HTTP is reached, beside IP addresses and `localhost`. */
  readonly httpNames: readonly string[]
  /** What a new log's first generation is answered by; null: by rules. */
  readonly model: string | null
  /** Where every model is asked; null: none can be. */
  readonly endpoint: EndpointConfig | null
  /** Those that can be had; the first one serves a new log's first generation. */
  readonly embedders: readonly EmbedderConfig[]
  /** Whether what is recalled is recorded, for feedback and audit. */
  readonly recalls: 'on' | 'off'
  /** How large the file of view vectors may grow. */
  readonly vectorCacheBytes: number
  /** What tokens cost, by model. */
  readonly prices: Prices
}

/** Room for about a million vectors of the embedder that comes along. */
const megabytes = { fallback: 2_000, least: 10, most: 1_000_000 }

const objectStores = ['s3', 'gs', 'az']

/** @throws LoomlogError `config-invalid` */
export function configFrom(environment: Environment): Config {
  const log = logConfig(environment)
  const dir = environment.LOOMLOG_DIR ?? '.loomlog'
  return {
    dir: log.kind === 'kafka' ? join(dir, `kafka-${log.environment}`) : dir,
    log,
    views: views(environment, log),
    partitions: wholeNumber(environment, 'LOOMLOG_PARTITIONS', { fallback: 4, least: 1, most: 1024 }),
    session: session(environment),
    pauseAfterMs: wholeNumber(environment, 'LOOMLOG_PAUSE_MS', { fallback: 600_000, least: 1_000, most: 86_400_000 }),
    stallMs: stall(environment),
    http: {
      host: environment.LOOMLOG_HTTP_HOST ?? '127.0.0.1',
      port: wholeNumber(environment, 'LOOMLOG_HTTP_PORT', { fallback: 7070, least: 0, most: 65_535 }),
    },
    reading: {
      reads: wholeNumber(environment, 'LOOMLOG_READS', { fallback: 8, least: 1, most: 1_024 }),
      queuedReads: wholeNumber(environment, 'LOOMLOG_READS_QUEUE', { fallback: 256, least: 0, most: 100_000 }),
      queueMs: wholeNumber(environment, 'LOOMLOG_READS_QUEUE_MS', { fallback: 10_000, least: 1, most: 600_000 }),
    },
    httpNames: httpNames(environment.LOOMLOG_HTTP_NAMES),
    model: environment.LOOMLOG_MODEL || null,
    endpoint:
      environment.LOOMLOG_MODEL || environment.LOOMLOG_API_KEY
        ? endpoint(environment, environment.LOOMLOG_MODEL ?? 'a model')
        : null,
    embedders: embedderConfigs(environment),
    recalls: onOrOff(environment, 'LOOMLOG_RECALLS'),
    vectorCacheBytes: wholeNumber(environment, 'LOOMLOG_VECTOR_CACHE_MB', megabytes) * 1_000_000,
    prices: pricesFrom(environment),
  }
}

/** As Kafka's max.poll.interval.ms, but never shorter than a call to the model with its retry may take. */
function stall(environment: Environment): number {
  const fallback = Math.max(300_000, 3 * Number(environment.LOOMLOG_MODEL_TIMEOUT_MS ?? 0))
  return wholeNumber(environment, 'LOOMLOG_STALL_MS', { fallback, least: 1_000, most: 86_400_000 })
}

function onOrOff(environment: Environment, name: string): 'on' | 'off' {
  const given = environment[name] ?? 'on'
  if (given === 'on' || given === 'off') return given
  throw invalid(name, given, 'on or off')
}

function httpNames(given: string | undefined): readonly string[] {
  const names = given === undefined ? [] : given.split(',').map((name) => name.trim().toLowerCase())
  if (names.every((name) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name))) return names
  throw invalid('LOOMLOG_HTTP_NAMES', given ?? '', 'host names without ports, separated by commas')
}

/** As `dir`, of which each log on Kafka has its own. */
function views({ LOOMLOG_VIEWS: given }: Environment, log: LogConfig): string | null {
  if (given === undefined) return null
  const scheme = /^([\w+.-]*):\/\//.exec(given)?.[1]
  if (given === '' || (scheme !== undefined && !objectStores.includes(scheme))) {
    throw invalid('LOOMLOG_VIEWS', given, `a folder, or a URI that begins with ${objectStores.join(':// or ')}://`)
  }
  const place = given.replace(/\/+$/, '')
  return log.kind === 'kafka' ? `${place}/kafka-${log.environment}` : place
}

function session(environment: Environment): Config['session'] {
  if (environment.LOOMLOG_SESSION_MS === undefined) return {}
  return { sessionMs: wholeNumber(environment, 'LOOMLOG_SESSION_MS', { fallback: null, least: 500, most: 600_000 }) }
}
