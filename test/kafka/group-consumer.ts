/**
 * A process that a test kills: a plain client in a consumer group, `group-consumer.ts FILE BROKERS TOPIC GROUP
 * SESSION_MS`. It stores the ids of its events in the file, one a line. After a kill it skips events that it already
 * has: their offsets were not committed.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { Kafka, logLevel } from 'kafkajs'

const [file = '', brokers = '', topic = '', groupId = '', sessionMs = ''] = process.argv.slice(2)
const known = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING })
const sessionTimeout = Number(sessionMs)
const consumer = kafka.consumer({ groupId, sessionTimeout, heartbeatInterval: sessionTimeout / 5 })
await consumer.connect()
await consumer.subscribe({ topic, fromBeginning: true })
await consumer.run({
  autoCommitThreshold: 20,
  async eachMessage({ message: { headers = {} } }) {
    const id = String(headers.ce_id)
    if (!known.has(id)) appendFileSync(file, `${id}\n`)
    known.add(id)
  },
})
