/**
 * Errors of kafkajs, mapped to the log's own codes. A kafkajs error without a case here is `log-unavailable`. Other
 * errors pass through unchanged.
 */
import { LoomlogError } from '@loomlog/errors'

/** Another producer has taken the transactional id, or the cluster has dropped it. */
const fencedTypes = ['INVALID_PRODUCER_EPOCH', 'PRODUCER_FENCED', 'INVALID_PRODUCER_ID_MAPPING', 'INVALID_TXN_STATE']

/** The protocol's name of an error, also if kafkajs has wrapped it. */
export function errorType(error: unknown): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('type' in at && typeof at.type === 'string') return at.type
  }
  return null
}

export function isFencedError(error: unknown): boolean {
  const type = errorType(error)
  return type !== null && fencedTypes.includes(type)
}

/** A retry helps neither against an untrusted certificate nor against wrong credentials. */
const untrusted =
  /certificate|self-signed|unable to verify|: Authentication failed|mechanism is not supported|invalid credentials/

export function toLogError(error: unknown, doing: string): unknown {
  if (!(error instanceof Error) || !error.name.startsWith('KafkaJS')) return error
  const message = `${doing}: ${error.message}`
  if (untrusted.test(error.message)) return new LoomlogError('config-invalid', message, { cause: error })
  switch (errorType(error)) {
    case 'UNKNOWN_TOPIC_OR_PARTITION':
      return new LoomlogError('topic-unknown', message, { cause: error })
    case 'MESSAGE_TOO_LARGE':
    case 'RECORD_LIST_TOO_LARGE':
      return new LoomlogError('record-too-large', message, { cause: error })
    case 'KAFKA_STORAGE_ERROR':
      return new LoomlogError('log-full', message, { cause: error })
    default:
      return new LoomlogError('log-unavailable', message, { cause: error })
  }
}

/** Whether kafkajs marks the error as retriable; for protocol errors it follows Kafka's list. */
export function isRetriable(error: unknown): boolean {
  return error instanceof Error && 'retriable' in error && error.retriable === true
}

export function topicUnknown(topic: string): LoomlogError {
  return new LoomlogError('topic-unknown', `there is no topic ${topic}`)
}
