/**
 * What a process is told from outside: environment variables, checked at start. Every one has a default, and a wrong value is
 * refused with its name, the value and what was expected. Secrets are never part of a message.
 */
import { join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import { type Environment, invalid, wholeNumber } from './environment.ts'
import { type LogConfig, logConfig } from './log-config.ts'

export interface EndpointConfig {
  /** Up to and with `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
  /** Calls under way at once, of this process; the others wait in line. */
  readonly maxConcurrent: number
  /** A call that takes longer has failed, and is made again. */
  readonly timeoutMs: number
}

export type EmbedderConfig =
  | { readonly kind: 'use-lite'; readonly threads: number }
  | { readonly kind: 'openai'; readonly endpoint: EndpointConfig; readonly dimensions: number }
  | { readonly kind: 'transformers'; readonly model: string; readonly dimensions: number }

export interface Config {
  /**
   * The folder that holds the log, the views and what can be made from them again. A log on Kafka has a folder of its own within
   * LOOMLOG_DIR, since what was made from one log says nothing about another.
   */
  readonly dir: string
  readonly log: LogConfig
  /** Partitions of a new log; one that exists keeps its own. */
  readonly partitions: number
  /** A process that is not heard of for `sessionMs` loses its partitions to others; not set: the log's own default. */
  readonly session: { readonly sessionMs?: number }
  /** A conversation to which nothing was appended for this long is taken to pause, and its open box is sealed. */
  readonly pauseAfterMs: number
  /** Null: every task is answered by rules. */
  readonly model: EndpointConfig | null
  readonly embedder: EmbedderConfig
  /** Whether what is recalled is recorded, for feedback and audit. */
  readonly recalls: 'on' | 'off'
  /** How large the file of view vectors may grow. */
  readonly vectorCacheBytes: number
}

/** Room for about a million vectors of the embedder that comes along. */
const megabytes = { fallback: 2_000, least: 10, most: 1_000_000 }

/** @throws LoomlogError `config-invalid` */
export function configFrom(environment: Environment): Config {
  const log = logConfig(environment)
  const dir = environment.LOOMLOG_DIR ?? '.loomlog'
  return {
    dir: log.kind === 'kafka' ? join(dir, `kafka-${log.environment}`) : dir,
    log,
    partitions: wholeNumber(environment, 'LOOMLOG_PARTITIONS', { fallback: 4, least: 1, most: 1024 }),
    session: session(environment),
    pauseAfterMs: wholeNumber(environment, 'LOOMLOG_PAUSE_MS', { fallback: 600_000, least: 1_000, most: 86_400_000 }),
    model: environment.LOOMLOG_MODEL ? endpoint(environment, environment.LOOMLOG_MODEL) : null,
    embedder: embedder(environment),
    recalls: onOrOff(environment, 'LOOMLOG_RECALLS'),
    vectorCacheBytes: wholeNumber(environment, 'LOOMLOG_VECTOR_CACHE_MB', megabytes) * 1_000_000,
  }
}

function onOrOff(environment: Environment, name: string): 'on' | 'off' {
  const given = environment[name] ?? 'on'
  if (given === 'on' || given === 'off') return given
  throw invalid(name, given, 'on or off')
}

function session(environment: Environment): Config['session'] {
  if (environment.LOOMLOG_SESSION_MS === undefined) return {}
  return { sessionMs: wholeNumber(environment, 'LOOMLOG_SESSION_MS', { fallback: null, least: 500, most: 600_000 }) }
}

function embedder(environment: Environment): EmbedderConfig {
  const given = environment.LOOMLOG_EMBEDDER ?? 'use-lite'
  const [kind, ...rest] = given.split(':')
  const model = rest.join(':')
  if (kind === 'use-lite') {
    return { kind, threads: wholeNumber(environment, 'LOOMLOG_EMBEDDER_THREADS', { fallback: 2, least: 1, most: 64 }) }
  }
  if ((kind === 'openai' || kind === 'transformers') && model !== '') {
    const dimensions = wholeNumber(environment, 'LOOMLOG_EMBEDDER_DIMENSIONS', {
      fallback: null,
      least: 1,
      most: 16_384,
    })
    return kind === 'openai'
      ? { kind, endpoint: endpoint(environment, model), dimensions }
      : { kind, model, dimensions }
  }
  throw invalid('LOOMLOG_EMBEDDER', given, 'use-lite, openai:MODEL or transformers:MODEL')
}

function endpoint(environment: Environment, model: string): EndpointConfig {
  const baseUrl = environment.LOOMLOG_MODEL_URL ?? 'https://api.openai.com/v1'
  if (!URL.canParse(baseUrl)) throw invalid('LOOMLOG_MODEL_URL', baseUrl, 'a URL up to and with /v1')
  const apiKey = environment.LOOMLOG_API_KEY
  if (!apiKey) throw new LoomlogError('config-invalid', `LOOMLOG_API_KEY is not set, and ${model} needs it`)
  const maxConcurrent = wholeNumber(environment, 'LOOMLOG_MODEL_CONCURRENCY', { fallback: 8, least: 1, most: 1_024 })
  const timeout = { fallback: 120_000, least: 1_000, most: 3_600_000 }
  return {
    baseUrl,
    apiKey,
    model,
    maxConcurrent,
    timeoutMs: wholeNumber(environment, 'LOOMLOG_MODEL_TIMEOUT_MS', timeout),
  }
}
