/** Opens the configured log. Only this file knows both adapters. */
import { join } from 'node:path'
import { openSealed } from '@loomlog/log/encryption'
import type { Security } from '@loomlog/log/kafka'
import type { Log } from '@loomlog/log/port'
import { openSqliteLog } from '@loomlog/log/sqlite'
import type { Config } from './config.ts'
import { encryptionOptions } from './encryption-config.ts'
import type { KafkaConfig } from './log-config.ts'
import { readPem } from './pem.ts'

/**
 * @param access `read`: an embedded log is not written
 * @throws LoomlogError `log-unavailable`, `config-invalid`, `key-unavailable`
 */
export async function openLog(
  { dir, log, encryption }: Pick<Config, 'dir' | 'log' | 'encryption'>,
  access: 'write' | 'read' = 'write',
): Promise<Log> {
  const ofNewLogs = access === 'read' ? 'off' : encryption.ofNewLogs
  const options = encryptionOptions({ ...encryption, ofNewLogs }, log.kind === 'sqlite' ? dir : null)
  if (log.kind === 'sqlite') return openSealed(openSqliteLog({ dir, access }), options)
  // Loaded only for Kafka: its client and the registry's take a fifth of a second.
  const { openKafkaLog } = await import('@loomlog/log/kafka')
  const { brokers, environment, replication } = log
  const { ca, ...known } = log.registry
  const registry = { ...known, ...(ca !== undefined && { ca: await readPem('LOOMLOG_REGISTRY_CA_FILE', ca) }) }
  const security = await securityOf(log)
  const stateDir = join(dir, 'state')
  const kafka = await openKafkaLog({ brokers, registry, environment, security, replication, stateDir, onNotice })
  return openSealed(kafka, options)
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
