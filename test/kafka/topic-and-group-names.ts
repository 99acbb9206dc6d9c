/**
 * All topics of a cluster, with the changelogs of state, and all groups, read from its brokers. The Log port lists only
 * its own.
 */
import { Kafka, logLevel } from 'kafkajs'

export async function topicAndGroupNames(brokers: readonly string[]): Promise<readonly string[]> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin()
  try {
    await admin.connect()
    const topics = await admin.listTopics()
    const { groups } = await admin.listGroups()
    return [...topics, ...groups.map(({ groupId }) => groupId)]
  } finally {
    await admin.disconnect()
  }
}
