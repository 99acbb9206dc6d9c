/**
 * The settings of a process: environment variables, checked at start. Every one has a default. A wrong value is refused
 * with the variable, the value and the expected one. Secrets are never part of a message.
 */

import { join } from 'node:path'
import type { CallerLimitSettings } from '@loomlog/access/caller-limits'
import type { OidcSettings } from '@loomlog/access/oidc'
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import type { SpendingLimits } from '@loomlog/models/spending-limit'
import { callerLimits, oidcSettings, type TlsFiles, tlsFiles } from './access-config.ts'
import { embedderConfigs } from './embedder-config.ts'
import type { EmbedderConfig } from './embedder-kinds.ts'
import { type EncryptionConfig, encryptionConfig } from './encryption-config.ts'
import { type EndpointConfig, endpointConfig, modelTimeoutMs, spendingLimits } from './endpoint-config.ts'
import { type Environment, onOrOff, wholeNumber } from './environment.ts'
import { type LogConfig, logConfig } from './log-config.ts'
import { type Prices, pricesFrom } from './prices.ts'
import { type RetentionRule, retentionRules } from './retention-rules.ts'
import { type WebhookConfig, webhookConfig } from './webhook-config.ts'

/** LOOMLOG_DIR, where it is not set. */
export const defaultDir = '.loomlog'

export interface Config {
  /**
   * The folder of the log, the views and everything that can be rebuilt from them. Each log on Kafka has its own folder
   * within LOOMLOG_DIR, since local copies of one log don't fit another.
   */
  readonly dir: string
  readonly log: LogConfig
  readonly encryption: EncryptionConfig
  /** Folder or object store URI of the views; null: in `dir`. */
  readonly views: string | null
  /** Partitions of a new log; one that exists keeps its own. */
  readonly partitions: number
  /** A process without a heartbeat for `sessionMs` loses its partitions; not set: the log's own default. */
  readonly session: { readonly sessionMs?: number }
  /** A conversation without a new utterance for this long counts as paused, and its open box is sealed. */
  readonly pauseAfterMs: number
  readonly spacePauseAfterMs: number
  /** A partition whose records wait for longer, without a commit, has stalled, and the process counts as dead. */
  readonly stallMs: number
  /** Whether the gateway may listen beyond loopback while there are no keys. */
  readonly openAccess: 'on' | 'off'
  /** The gateway's limits of each key and token. */
  readonly callerLimits: CallerLimitSettings
  /** The issuer of tokens; null: keys only. */
  readonly oidc: OidcSettings | null
  /** The gateway's certificate; null: plain HTTP. */
  readonly tls: TlsFiles | null
  /** The gateway's address. */
  readonly http: { readonly host: string; readonly port: number }
  /**
   * The gateway's limits: reads of views in flight, the length of their queue, the longest wait in it, the longest
   * append.
   */
  readonly limits: {
    readonly reads: number
    readonly queuedReads: number
    readonly queueMs: number
    readonly appendMs: number
  }
  /** The gateway's host names, beside IP addresses and `localhost`. */
  readonly httpNames: readonly string[]
  /** Paths of the modules of extensions. */
  readonly extensions: readonly string[]
  /** The model of a new log's first generation; null: rules. */
  readonly model: string | null
  /** The endpoint of every model; null: no model is available. */
  readonly endpoint: EndpointConfig | null
  /** The available embedders; the first one serves a new log's first generation. */
  readonly embedders: readonly EmbedderConfig[]
  /** Whether served recalls are recorded, for feedback and audit. */
  readonly recalls: 'on' | 'off'
  /** Approximate memory of a process for the spaces that it recalls from. */
  readonly spaceCacheBytes: number
  /** Largest size of the file of view vectors. */
  readonly vectorCacheBytes: number
  readonly webhooks: WebhookConfig
  /** How long spaces keep utterances and corrections. */
  readonly retention: readonly RetentionRule[]
  /** Prices of tokens, by model. */
  readonly prices: Prices
  /** Limits of this process on tokens a minute and money a day. */
  readonly spending: SpendingLimits
}

/** The default holds about a million vectors of the bundled embedder. */
const vectorCacheMegabytes = { fallback: 2_000, least: 10, most: 1_000_000 }

/** The default holds some 150,000 memories. */
const spaceCacheMegabytes = { fallback: 512, least: 0, most: 1_000_000 }

const objectStores = ['s3', 'gs', 'az']

/** @throws LoomlogError `config-invalid` */
export function configFrom(environment: Environment): Config {
  const log = logConfig(environment)
  const dir = environment.LOOMLOG_DIR ?? defaultDir
  return {
    dir: log.kind === 'kafka' ? join(dir, `kafka-${log.environment}`) : dir,
    log,
    encryption: encryptionConfig(environment, log),
    views: views(environment, log),
    partitions: wholeNumber(environment, 'LOOMLOG_PARTITIONS', { fallback: 4, least: 1, most: 1024 }),
    session: session(environment),
    pauseAfterMs: wholeNumber(environment, 'LOOMLOG_PAUSE_MS', { fallback: 600_000, least: 1_000, most: 86_400_000 }),
    spacePauseAfterMs: wholeNumber(environment, 'LOOMLOG_SPACE_PAUSE_MS', {
      fallback: 3_600_000,
      least: 1_000,
      most: 30 * 86_400_000,
    }),
    stallMs: stall(environment),
    openAccess: onOrOff(environment, 'LOOMLOG_OPEN_ACCESS', 'off'),
    callerLimits: callerLimits(environment),
    oidc: oidcSettings(environment),
    tls: tlsFiles(environment),
    http: {
      host: environment.LOOMLOG_HTTP_HOST ?? '127.0.0.1',
      port: wholeNumber(environment, 'LOOMLOG_HTTP_PORT', { fallback: 7070, least: 0, most: 65_535 }),
    },
    limits: {
      reads: wholeNumber(environment, 'LOOMLOG_READS', { fallback: 8, least: 1, most: 1_024 }),
      queuedReads: wholeNumber(environment, 'LOOMLOG_READS_QUEUE', { fallback: 256, least: 0, most: 100_000 }),
      queueMs: wholeNumber(environment, 'LOOMLOG_READS_QUEUE_MS', { fallback: 10_000, least: 1, most: 600_000 }),
      appendMs: wholeNumber(environment, 'LOOMLOG_APPEND_MS', { fallback: 30_000, least: 100, most: 600_000 }),
    },
    httpNames: httpNames(environment.LOOMLOG_HTTP_NAMES),
    extensions: extensionPaths(environment),
    model: environment.LOOMLOG_MODEL || null,
    endpoint:
      environment.LOOMLOG_MODEL || environment.LOOMLOG_API_KEY
        ? endpointConfig(environment, environment.LOOMLOG_MODEL ?? 'a model')
        : null,
    embedders: embedderConfigs(environment),
    recalls: onOrOff(environment, 'LOOMLOG_RECALLS', 'on'),
    spaceCacheBytes: wholeNumber(environment, 'LOOMLOG_SPACE_CACHE_MB', spaceCacheMegabytes) * 1_000_000,
    vectorCacheBytes: wholeNumber(environment, 'LOOMLOG_VECTOR_CACHE_MB', vectorCacheMegabytes) * 1_000_000,
    webhooks: webhookConfig(environment),
    retention: retentionRules(environment),
    prices: pricesFrom(environment),
    spending: spendingLimits(environment),
  }
}

/** Paths of the modules of extensions. */
export function extensionPaths({ LOOMLOG_EXTENSIONS: given = '' }: Environment): readonly string[] {
  const paths = given.split(',').map((path) => path.trim())
  return paths.filter((path) => path !== '')
}

/** Like Kafka's max.poll.interval.ms, but never shorter than a call to the model with its retry. */
function stall(environment: Environment): number {
  const fallback = Math.max(300_000, 3 * modelTimeoutMs(environment, 0))
  return wholeNumber(environment, 'LOOMLOG_STALL_MS', { fallback, least: 1_000, most: 86_400_000 })
}

function httpNames(given: string | undefined): readonly string[] {
  const names = given === undefined ? [] : given.split(',').map((name) => name.trim().toLowerCase())
  if (names.every((name) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name))) return names
  throw invalidSetting('LOOMLOG_HTTP_NAMES', given ?? '', 'host names without ports, separated by commas')
}

/** Each log on Kafka has its own views, as it has its own `dir`. */
function views({ LOOMLOG_VIEWS: given }: Environment, log: LogConfig): string | null {
  if (given === undefined) return null
  const scheme = /^([\w+.-]*):\/\//.exec(given)?.[1]
  if (given === '' || (scheme !== undefined && !objectStores.includes(scheme))) {
    throw invalidSetting(
      'LOOMLOG_VIEWS',
      given,
      `a folder, or a URI that begins with ${objectStores.join(':// or ')}://`,
    )
  }
  const place = given.replace(/\/+$/, '')
  return log.kind === 'kafka' ? `${place}/kafka-${log.environment}` : place
}

function session(environment: Environment): Config['session'] {
  if (environment.LOOMLOG_SESSION_MS === undefined) return {}
  return { sessionMs: wholeNumber(environment, 'LOOMLOG_SESSION_MS', { fallback: null, least: 500, most: 600_000 }) }
}
