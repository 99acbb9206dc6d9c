/** For the tests of a suite: a log on Kafka, opened before the first of them and closed after the last. */
import { after, before } from 'node:test'
import { type TestingCluster, testingCluster } from '@loomlog/kafka-local/testing-cluster'
import type { Log } from '../port.ts'
import { type KafkaLogOptions, openKafkaLog } from './adapter.ts'

export interface SuiteLog {
  readonly cluster: TestingCluster
  readonly log: Log
}

/** Call it in a `describe`: the fields are set once its tests run. */
export function suiteLog(options: Partial<KafkaLogOptions> = {}): SuiteLog {
  let opened: SuiteLog
  before(async () => {
    const cluster = await testingCluster()
    opened = { cluster, log: await openKafkaLog({ ...cluster.options, ...options }) }
  })
  after(async () => {
    await opened.log.close()
    await opened.cluster.stop()
  })
  return {
    get cluster() {
      return opened.cluster
    },
    get log() {
      return opened.log
    },
  }
}
