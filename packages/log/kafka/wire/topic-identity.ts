/**
 * The identity of a topic: the id of the cluster and the id that Kafka gives a topic when it is created. Topics have
 * ids in metadata from version 10 on, and kafkajs asks for version 6.
 *
 *   request  => [topic_id:16 name tags] allow_auto_topic_creation:1 include_cluster:1 include_topic:1 tags        (version 10)
 *   response => throttle_time:4 [node_id:4 host port:4 rack tags] cluster_id controller_id:4 [error_code:2 name topic_id:16 …] …
 */
import { LoomlogError } from '@loomlog/errors'
import { type Cursor, int16, int32, unsignedVarint } from './cursor.ts'
import {
  compactList,
  compactText,
  noTags,
  readList,
  readText,
  requireNoError,
  sendFlexible,
  skipTags,
} from './flexible.ts'
import type { RequestConnection } from './kafkajs-cluster.ts'

const uuidBytes = 16
const flags = Buffer.alloc(3)

/** @throws kafkajs's error for the broker's code, as for a topic that is unknown */
export function topicIdentity(broker: RequestConnection, kafkaTopic: string): Promise<string> {
  const topic = Buffer.concat([Buffer.alloc(uuidBytes), compactText(kafkaTopic), noTags])
  const body = Buffer.concat([compactList([topic]), flags])
  return sendFlexible(broker, { apiKey: 3, apiName: 'Metadata', apiVersion: 10, body, read: identityIn })
}

function identityIn(cursor: Cursor): string {
  int32(cursor)
  readList(cursor, () => skipBroker(cursor))
  const cluster = readText(cursor)
  int32(cursor)
  if (unsignedVarint(cursor) < 2) throw new LoomlogError('log-unavailable', 'a broker returned metadata of no topic')
  requireNoError(int16(cursor))
  readText(cursor)
  const id = cursor.bytes.subarray(cursor.at, cursor.at + uuidBytes)
  return `${cluster}/${id.toString('base64url')}`
}

function skipBroker(cursor: Cursor): void {
  int32(cursor)
  readText(cursor)
  int32(cursor)
  readText(cursor)
  skipTags(cursor)
}
