/**
 * The edges of Kafka on a real broker with TLS, SASL and a guarded registry: failures there are reported, waited for,
 * or parked.
 */
import { after, before, describe } from 'node:test'
import { localKafkaSkipReason } from '@loomlog/kafka-local/testing-cluster'
import { testAccessControl } from './edges/access-control.ts'
import { type EdgeCluster, edgeCluster } from './edges/edge-cluster.ts'
import { testFlow } from './edges/flow.ts'
import { testMisplacedRecord } from './edges/misplaced-record.ts'
import { testOtherClient } from './edges/other-client.ts'
import { testSecurity } from './edges/security.ts'
import { testTopics } from './edges/topics.ts'

const skip = (await localKafkaSkipReason()) ?? false

describe('the edges of Kafka', { skip }, () => {
  let made: EdgeCluster
  before(async () => {
    made = await edgeCluster()
  })
  after(() => made.remove())

  testFlow(() => made)
  testOtherClient(() => made)
  testTopics(() => made)
  testAccessControl(() => made)
  testMisplacedRecord(() => made)
  testSecurity(() => made)
})
