/** Everything that a cluster keeps, as its brokers tell it: topics, the changelogs of state among them, and groups. The log tells its own only. */
import { Kafka, logLevel } from 'kafkajs'

export async function allNames(brokers: readonly string[]): Promise<readonly string[]> {
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
