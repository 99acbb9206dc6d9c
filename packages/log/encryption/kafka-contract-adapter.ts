/** An encrypted log on Kafka for the contract suite, in the test's process and in its children: the options as JSON. */
import { type KafkaLogOptions, openKafkaLog } from '../kafka/adapter.ts'
import type { Log } from '../port.ts'
import { localKey } from './key-encryption.ts'
import { openSealed } from './open.ts'

const key = localKey(Buffer.alloc(32, 'a key of tests'))

export async function open(argument: string): Promise<Log> {
  const log = await openKafkaLog(JSON.parse(argument) as KafkaLogOptions)
  return openSealed(log, { ofNewLogs: 'on', keyEncryption: async () => key })
}
