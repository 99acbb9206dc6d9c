/**
 * The first contact with a cluster. A missing broker, a refused connection or an untrusted certificate is reported
 * within seconds, with advice. After the first contact a failure is taken to pass, and requests are retried for much
 * longer.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'
import { Kafka, logLevel } from 'kafkajs'
import type { Security } from './driver.ts'
import { toLogError } from './failures.ts'

/** At least this number of retries, and one for each broker: about two seconds in all. */
const minRetries = 4
const answerWithinMs = 5_000

/** @throws LoomlogError `log-unavailable`, `config-invalid` */
export async function checkReachable(brokers: readonly string[], clientId: string, security: Security): Promise<void> {
  const retry = { initialRetryTime: 100, maxRetryTime: 800, retries: Math.max(minRetries, brokers.length) }
  const times = { connectionTimeout: 3_000, authenticationTimeout: answerWithinMs, requestTimeout: answerWithinMs }
  const kafka = new Kafka({
    ...security,
    ...times,
    brokers: [...brokers],
    clientId,
    retry,
    enforceRequestTimeout: true,
    logLevel: logLevel.NOTHING,
  })
  const admin = kafka.admin()
  try {
    await admin.connect()
    await admin.describeCluster()
  } catch (error) {
    throw explained(error, `connecting to ${brokers.join(', ')}`, security)
  } finally {
    await admin.disconnect().catch(() => {})
  }
}

function explained(error: unknown, doing: string, { ssl, sasl }: Security): unknown {
  const cause = toLogError(error, doing)
  if (!(cause instanceof Error)) return cause
  // Some other server than Kafka answered.
  if (!isLoomlogError(cause)) return new LoomlogError('log-unavailable', `${doing}: ${cause.message}`, { cause })
  if (!/closed connection|before secure TLS|SASL state/i.test(cause.message)) return cause
  const ours = `TLS is ${ssl ? 'on' : 'off'}, SASL is ${sasl?.mechanism ?? 'off'}`
  return new LoomlogError(cause.code, `${cause.message}; ${ours}: compare them with the settings of that listener`, {
    cause: error,
  })
}
