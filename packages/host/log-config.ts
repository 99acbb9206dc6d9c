/**
 * The settings of the log: embedded, or Kafka. Secrets are never part of a message. Certificate files are read when the
 * log is opened.
 */
import { LoomlogError } from '@loomlog/errors'
import { invalidSetting } from '@loomlog/errors/invalid-setting'
import { type Environment, wholeNumber } from './environment.ts'

export type LogConfig = { readonly kind: 'sqlite' } | KafkaConfig

export interface KafkaConfig {
  readonly kind: 'kafka'
  readonly brokers: readonly string[]
  /** `ca`: path of a PEM file. */
  readonly registry: { readonly url: string; readonly auth?: Credentials; readonly ca?: string }
  /** Prefix of every topic and group, so that several loomlogs can share a cluster. */
  readonly environment: string
  /** Replication of loomlog's topics; null: the cluster's default. */
  readonly replication: { readonly factor: number | null; readonly minInSync: number | null }
  readonly tls: TlsConfig | null
  readonly sasl: (Credentials & { readonly mechanism: SaslMechanism }) | null
}

export interface Credentials {
  readonly username: string
  readonly password: string
}

export interface TlsConfig {
  /** Paths of PEM files; null: Node's authorities, and no client certificate. */
  readonly ca: string | null
  readonly client: { readonly cert: string; readonly key: string } | null
}

const maxCopies = 15
const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const
type SaslMechanism = (typeof mechanisms)[number]

/** @throws LoomlogError `config-invalid` */
export function logConfig(environment: Environment): LogConfig {
  const kind = environment.LOOMLOG_LOG ?? 'sqlite'
  if (kind === 'sqlite') return { kind }
  if (kind !== 'kafka') throw invalidSetting('LOOMLOG_LOG', kind, 'sqlite or kafka')
  return {
    kind,
    brokers: brokersFrom(environment.LOOMLOG_KAFKA_BROKERS),
    registry: registry(environment),
    environment: environmentName(environment.LOOMLOG_KAFKA_ENVIRONMENT ?? 'loomlog'),
    replication: replication(environment),
    tls: tls(environment),
    sasl: sasl(environment),
  }
}

function brokersFrom(text: string | undefined): readonly string[] {
  const brokers = (text ?? '').split(',').map((broker) => broker.trim())
  if (brokers.every((broker) => /^[\w.-]+:\d{1,5}$|^\[[\da-fA-F:.]+\]:\d{1,5}$/.test(broker))) return brokers
  throw invalidSetting('LOOMLOG_KAFKA_BROKERS', text ?? 'not set', 'one or more host:port, separated by commas')
}

function registry(environment: Environment): KafkaConfig['registry'] {
  const text = environment.LOOMLOG_REGISTRY_URL
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null
  // A URL with credentials is refused, and not shown: it would appear in every message about the registry.
  if (url?.username || url?.password) {
    throw invalidSetting(
      'LOOMLOG_REGISTRY_URL',
      'with credentials',
      'an address without credentials: set LOOMLOG_REGISTRY_USERNAME and LOOMLOG_REGISTRY_PASSWORD',
    )
  }
  if (text === undefined || !url?.protocol.startsWith('http')) {
    throw invalidSetting(
      'LOOMLOG_REGISTRY_URL',
      text ?? 'not set',
      "the http(s) address of a registry with Confluent's API",
    )
  }
  const ca = environment.LOOMLOG_REGISTRY_CA_FILE
  if (ca !== undefined && url?.protocol !== 'https:')
    throw invalidSetting('LOOMLOG_REGISTRY_CA_FILE', ca, 'no file, since the address of the registry is not https')
  const auth = credentials(environment, 'LOOMLOG_REGISTRY')
  return { url: text, ...(auth && { auth }), ...(ca !== undefined && { ca }) }
}

function environmentName(name: string): string {
  if (/^[A-Za-z0-9-]{1,40}$/.test(name)) return name
  throw invalidSetting('LOOMLOG_KAFKA_ENVIRONMENT', name, 'letters, digits and hyphens, at most 40')
}

function replication(environment: Environment): KafkaConfig['replication'] {
  const copies = (name: string, most: number) =>
    environment[name] === undefined ? null : wholeNumber(environment, name, { fallback: null, least: 1, most })
  const factor = copies('LOOMLOG_KAFKA_REPLICATION', maxCopies)
  return { factor, minInSync: copies('LOOMLOG_KAFKA_MIN_INSYNC', factor ?? maxCopies) }
}

function tls(environment: Environment): TlsConfig | null {
  const { LOOMLOG_KAFKA_TLS: text = 'off', LOOMLOG_KAFKA_CA_FILE: ca = null } = environment
  const { LOOMLOG_KAFKA_CERT_FILE: cert, LOOMLOG_KAFKA_KEY_FILE: key } = environment
  if (text !== 'on' && text !== 'off') throw invalidSetting('LOOMLOG_KAFKA_TLS', text, 'on or off')
  if (text === 'off') {
    const file = ca ?? cert ?? key
    if (file !== undefined) throw invalidSetting('LOOMLOG_KAFKA_TLS', text, `on, since there is a file for it: ${file}`)
    return null
  }
  if (!cert !== !key)
    throw invalidSetting(
      'LOOMLOG_KAFKA_CERT_FILE',
      cert ?? 'not set',
      'both LOOMLOG_KAFKA_CERT_FILE and LOOMLOG_KAFKA_KEY_FILE, or neither',
    )
  return { ca, client: cert && key ? { cert, key } : null }
}

function sasl(environment: Environment): KafkaConfig['sasl'] {
  const text = environment.LOOMLOG_KAFKA_SASL
  const given = credentials(environment, 'LOOMLOG_KAFKA')
  const mechanism = mechanisms.find((known) => known === text)
  if (text !== undefined && !mechanism) throw invalidSetting('LOOMLOG_KAFKA_SASL', text, mechanisms.join(', '))
  if (mechanism && given === null) throw notSet('LOOMLOG_KAFKA_USERNAME', `LOOMLOG_KAFKA_SASL is ${mechanism}`)
  if (!mechanism && given !== null) throw notSet('LOOMLOG_KAFKA_SASL', 'LOOMLOG_KAFKA_USERNAME is set')
  return mechanism && given ? { mechanism, ...given } : null
}

function credentials(environment: Environment, prefix: string): Credentials | null {
  const username = environment[`${prefix}_USERNAME`]
  const password = environment[`${prefix}_PASSWORD`]
  if (!username && !password) return null
  if (!username) throw notSet(`${prefix}_USERNAME`, `${prefix}_PASSWORD is set`)
  if (!password) throw notSet(`${prefix}_PASSWORD`, `${prefix}_USERNAME is set`)
  return { username, password }
}

function notSet(name: string, why: string): LoomlogError {
  return new LoomlogError('config-invalid', `${name} is not set, and ${why}`)
}
