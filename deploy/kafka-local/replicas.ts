/** Waits until all replicas are in sync. Until then a cluster that got a node back must not lose another one. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Admin, Kafka, logLevel } from 'kafkajs'

const pollMs = 200
/** A busy machine starts a broker slowly. */
const withinMs = 180_000

export async function waitUntilInSync(brokers: readonly string[]): Promise<void> {
  const kafka = new Kafka({ brokers: [...brokers], clientId: 'loomlog-replicas', logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  const deadline = performance.now() + withinMs
  try {
    for (;;) {
      const behind = await partitionsBehind(admin).catch((error: Error) => [error.message])
      if (behind.length === 0) return
      if (performance.now() > deadline) throw new Error(`not in sync after ${withinMs} ms: ${behind.join(', ')}`)
      await sleep(pollMs)
    }
  } finally {
    await admin.disconnect()
  }
}

async function partitionsBehind(admin: Admin): Promise<readonly string[]> {
  await admin.connect()
  const { topics } = await admin.fetchTopicMetadata()
  return topics.flatMap(({ name, partitions }) =>
    partitions
      .filter(({ isr, replicas, leader }) => leader < 0 || isr.length < replicas.length)
      .map(({ partitionId }) => `${name}/${partitionId}`),
  )
}
