/** The edges of Kafka on a real broker with TLS, SASL and a guarded registry: failures there are reported, waited for, or parked. */
import { after, before, describe } from 'node:test'
import { whyNoLocalKafka } from '@loomlog/kafka-local/testing-cluster'
import { flow } from './edges/flow.ts'
import { otherClient } from './edges/other-client.ts'
import { type Place, place } from './edges/place.ts'
import { security } from './edges/security.ts'
import { topics } from './edges/topics.ts'

const skip = (await whyNoLocalKafka()) ?? false

describe('the edges of Kafka', { skip }, () => {
  let made: Place
  before(async () => {
    made = await place()
  })
  after(() => made.remove())

  flow(() => made)
  otherClient(() => made)
  topics(() => made)
  security(() => made)
})
