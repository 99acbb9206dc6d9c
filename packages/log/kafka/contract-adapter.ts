/** How the contract suite opens a log on Kafka, in the test's process and in its children: the options as JSON. */
import type { Log } from '../port.ts'
import { type KafkaLogOptions, openKafkaLog } from './adapter.ts'

export function open(argument: string): Promise<Log> {
  return openKafkaLog(JSON.parse(argument) as KafkaLogOptions)
}
