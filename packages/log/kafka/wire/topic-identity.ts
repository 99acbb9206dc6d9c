/**
 * The identity of a topic: the id of the cluster and the id that Kafka gives a topic when it is created. Topics have
 * ids in metadata from version 10 on, and kafkajs asks for version 6.
 *
 *   request  => [topic_id:16 name tags] allow_auto_topic_creation:1 include_cluster:1 include_topic:1 tags
 *   (version 10) response => throttle_time:4 [node_id:4 host port:4 rack tags] cluster_id controller_id:4 [error_code:2
 *   name topic_id:16 …] …
 */
import { LoomlogError } from '@loomlog/errors'
import { requireNoError, sendFlexible, skipTags, withoutTags } from './flexible.ts'
import type { RequestConnection } from './kafkajs-cluster.ts'
import { type Decoder, KafkaEncoder } from './kafkajs-codec.ts'

const uuidBytes = 16
const noUuid = Buffer.alloc(uuidBytes)
const flags = Buffer.alloc(3)

/** @throws kafkajs's error for the broker's code, as for a topic that is unknown */
export function topicIdentity(broker: RequestConnection, kafkaTopic: string): Promise<string> {
  const topic = withoutTags(new KafkaEncoder().writeBuffer(noUuid).writeUVarIntString(kafkaTopic))
  const body = new KafkaEncoder().writeUVarIntArray([topic]).writeBuffer(flags)
  return sendFlexible(broker, { apiKey: 3, apiName: 'Metadata', apiVersion: 10, body, read: identityIn })
}

function identityIn(decoder: Decoder): string {
  decoder.readInt32()
  decoder.readUVarIntArray(skipBroker)
  const cluster = decoder.readUVarIntString() ?? ''
  decoder.readInt32()
  if (decoder.readUVarInt() < 2) throw new LoomlogError('log-unavailable', 'a broker returned metadata of no topic')
  requireNoError(decoder.readInt16())
  decoder.readUVarIntString()
  return `${cluster}/${decoder.readBytes(uuidBytes)?.toString('base64url')}`
}

function skipBroker(decoder: Decoder): void {
  decoder.readInt32()
  decoder.readUVarIntString()
  decoder.readInt32()
  decoder.readUVarIntString()
  skipTags(decoder)
}
