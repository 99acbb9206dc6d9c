/** On Kafka, too, who answers survives kills at every point of defining, starting and promoting; a part of the campaign of faults. */
import { join } from 'node:path'
import { test } from 'node:test'
import { testingCluster, whySkipped } from '@loomlog/kafka-local/testing-cluster'
import { fixture } from '../pipeline/fixture.ts'
import { killedAtEveryMove } from '../pipeline/killed-moves.ts'
import { onKafka } from './on-kafka.ts'

const skip = (await whySkipped()) ?? false

test('who answers survives kills at every point of defining, starting and promoting', { skip }, async (t) => {
  const cluster = await testingCluster()
  t.after(() => cluster.stop())
  const made = onKafka(await fixture(t, 1), cluster, 'moved')
  await killedAtEveryMove({ ...made.environment, LOOMLOG_DIR: join(made.dir, 'moved') })
})
