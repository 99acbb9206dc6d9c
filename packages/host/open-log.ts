/** Opens the configured log. Only this file knows both adapters. */
import { join } from 'node:path'
import { LoomlogError } from '@loomlog/errors'
import { logKeysOf, openSealed, type WithKeys } from '@loomlog/log/encryption'
import type { Security } from '@loomlog/log/kafka'
import type { Log } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import type { Config } from './config.ts'
import { embeddedDir, encryptionOptions, type KeySource, keyEncryptionOf } from './encryption-config.ts'
import type { KafkaConfig } from './log-config.ts'
import { readPem } from './pem.ts'

/**
 * @param access `read`: an embedded log is not written
 * @throws LoomlogError `log-unavailable`, `config-invalid`, `key-unavailable`
 */
export async function openLog(
  config: Pick<Config, 'dir' | 'log' | 'encryption'>,
  access: 'write' | 'read' = 'write',
): Promise<Log> {
  const { encryption } = config
  const ofNewLogs = access === 'read' ? 'off' : encryption.ofNewLogs
  return openSealed(await openStoredLog(config, access), encryptionOptions({ ...encryption, ofNewLogs }, config))
}

/** Encrypts the log's key by another key-encryption key. Returns the names of both; null: the log is not encrypted. */
export async function changeKeyEncryption(config: Config, to: KeySource | null) {
  const log = await openStoredLog(config, 'write')
  try {
    const logKeys = await logKeysOf(log, encryptionOptions({ ...config.encryption, ofNewLogs: 'off' }, config))
    if (logKeys === null) return null
    const before = log.keys.logKey()?.encryptedBy ?? ''
    const by = await keyEncryptionOf(to, { dir: embeddedDir(config), log: 'new' })
    if (by === null) throw new LoomlogError('config-invalid', 'a log on Kafka has no key file of its own: name a key')
    await logKeys.encryptLogKeyBy(by)
    return { before, now: by.id }
  } finally {
    await log.close()
  }
}

/** The name of the key that encrypts the log's key; null: the log is not encrypted. */
export async function encryptionOf(config: Config): Promise<string | null> {
  const log = await openStoredLog(config, 'read')
  try {
    await log.keys.refresh()
    return log.keys.logKey()?.encryptedBy ?? null
  } finally {
    await log.close()
  }
}

/** The log with its records as they are stored. */
async function openStoredLog(
  { dir, log }: Pick<Config, 'dir' | 'log'>,
  access: 'write' | 'read',
): Promise<Log & WithKeys> {
  if (log.kind === 'sqlite') return openSqliteLog({ dir, access })
  // Loaded only for Kafka: its client and the registry's take a fifth of a second.
  const { openKafkaLog } = await import('@loomlog/log/kafka')
  const { brokers, environment, replication } = log
  const { ca, ...known } = log.registry
  const registry = { ...known, ...(ca !== undefined && { ca: await readPem('LOOMLOG_REGISTRY_CA_FILE', ca) }) }
  const security = await securityOf(log)
  const stateDir = join(dir, 'state')
  return openKafkaLog({ brokers, registry, environment, security, replication, stateDir, onNotice })
}

/** Writes to stderr; a service logs it too. */
function onNotice(text: string): void {
  process.emitWarning(text, 'LoomlogWarning')
}

async function securityOf({ tls, sasl }: KafkaConfig): Promise<Security> {
  const ssl = tls && {
    ...(tls.ca === null ? {} : { ca: await readPem('LOOMLOG_KAFKA_CA_FILE', tls.ca) }),
    ...(tls.client === null
      ? {}
      : {
          cert: await readPem('LOOMLOG_KAFKA_CERT_FILE', tls.client.cert),
          key: await readPem('LOOMLOG_KAFKA_KEY_FILE', tls.client.key),
        }),
  }
  return { ...(ssl === null ? {} : { ssl }), ...(sasl === null ? {} : { sasl }) } as Security
}
