/**
 * Errors of kafkajs, mapped to the log's own codes. A kafkajs error without a case here is `log-unavailable`. Other
 * errors pass through unchanged.
 */
import { isLoomlogError, LoomlogError } from '@loomlog/errors'

type ResourceKind = 'topic' | 'group' | 'transactional id' | 'cluster'

/** An operation of Kafka's ACLs on a resource: `WRITE` on the topic `loomlog.utterances`. */
export interface Access {
  readonly operation: string
  readonly kind: ResourceKind
  /** Names of which the request needs one or all; empty: any. */
  readonly names: readonly string[]
}

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

/** The kind of resource that each error denies. */
const denied: { readonly [type: string]: ResourceKind } = {
  TOPIC_AUTHORIZATION_FAILED: 'topic',
  // Of several topics in a transaction, kafkajs reports the first: it may be one that was not tried, for the denial of
  // another.
  OPERATION_NOT_ATTEMPTED: 'topic',
  GROUP_AUTHORIZATION_FAILED: 'group',
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 'transactional id',
  CLUSTER_AUTHORIZATION_FAILED: 'cluster',
}

/**
 * A denied ACL is `log-unauthorized`, which is no outage: it passes once the ACL is granted.
 * @param accesses that the request needs; the first one on a resource of the denied kind is named
 */
export function toLogError(error: unknown, doing: string, ...accesses: readonly Access[]): unknown {
  if (!(error instanceof Error) || !error.name.startsWith('KafkaJS')) return error
  const message = `${doing}: ${error.message}`
  if (untrusted.test(error.message)) return new LoomlogError('config-invalid', message, { cause: error })
  const type = errorType(error) ?? ''
  const kind = denied[type]
  if (kind !== undefined) return unauthorized(kind, { doing, accesses, cause: error })
  switch (type) {
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

function unauthorized(
  denied: ResourceKind,
  { doing, accesses, cause }: { readonly doing: string; readonly accesses: readonly Access[]; readonly cause: unknown },
): LoomlogError {
  const { operation, names } = accesses.find(({ kind }) => kind === denied) ?? { operation: 'this', names: [] }
  const resource = [denied, names.join(' or ')].join(' ').trim()
  const message = `${doing}: the cluster's ACLs don't allow ${operation} on ${resource}`
  return new LoomlogError('log-unauthorized', message, { cause })
}

/** The error, with the principal whose access was denied. */
export function withPrincipal(error: unknown, principal: string): unknown {
  if (!isLoomlogError(error)) return error
  if (error.code === 'log-unauthorized')
    return new LoomlogError(error.code, `${error.message} to the principal ${principal}`, { cause: error.cause })
  if (error.code !== 'fenced' || !isLoomlogError(error.cause, 'log-unauthorized')) return error
  return new LoomlogError('fenced', error.message, { cause: withPrincipal(error.cause, principal) })
}

/** Whether kafkajs marks the error as retriable; for protocol errors it follows Kafka's list. */
export function isRetriable(error: unknown): boolean {
  return error instanceof Error && 'retriable' in error && error.retriable === true
}

export function topicUnknown(topic: string): LoomlogError {
  return new LoomlogError('topic-unknown', `there is no topic ${topic}`)
}
