/**
 * Generations on Kafka: corrections reach all of them, one is promoted and rolled back, and a retired one is removed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findGeneration } from '@loomlog/generations/generation-names'
import { liveGeneration } from '@loomlog/generations/pointers'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { skipReason, type TestingCluster, testingCluster } from '@loomlog/kafka-local/testing-cluster'
import { canonicalDump, dumpText } from '../../packages/app/derived-events.ts'
import { servingOf } from '../../packages/app/generations/live.ts'
import { generationOperations } from '../../packages/app/generations/operations.ts'
import { measureCorrections } from '../eval/rederive/corrections.ts'
import { kafkaLogSettings } from './kafka-log.ts'
import { topicAndGroupNames } from './topic-and-group-names.ts'

const skip = (await skipReason()) ?? false
/** The test waits for events, which take long on a busy machine. */
const patient = { timeout: 600_000 }
const planted = 2

describe('generations on Kafka', { skip, ...patient }, () => {
  let cluster: TestingCluster
  before(async () => {
    cluster = await testingCluster()
  })
  after(() => cluster.stop())

  test('keep corrections, serve, are rolled back, and leave no data when they are removed', patient, async () => {
    const dumps: string[] = []
    const found = await measureCorrections(
      planted,
      { ...kafkaLogSettings(cluster.options, 'corrected').log, LOOMLOG_PARTITIONS: '1' },
      async (host) => {
        dumps.push(await dumpOf(host))
        await promotedAndBack(host)
        await removeGenerations(host, cluster, ['boundariesMoved', 'factsReworded', 'everythingChanged'])
        dumps.push(await dumpOf(host))
      },
    )
    for (const [derivation, { outcomes, ...faults }] of Object.entries(found)) {
      assert.deepEqual(faults, { newMissing: [], oldLeft: [], othersLost: [] }, derivation)
      assert.deepEqual(outcomes, { applied: planted }, derivation)
    }
    assert.equal(dumps[1], dumps[0], 'the live memory is unchanged')
  })
})

/** The dump of the live generation. */
async function dumpOf(host: Host): Promise<string> {
  return (await canonicalDump(host, await servingOf(host, {}))).map(dumpText).join('\n')
}

async function promotedAndBack(host: Host): Promise<void> {
  const live = async () => liveGeneration(await readGenerations(host.log, host.codec), null)?.generation
  const before = await live()
  await generationOperations(host).promote('factsReworded', { tenant: null, checks: 'apply' })
  assert.notEqual(await live(), before)
  await generationOperations(host).rollBack({ tenant: null, checks: 'apply' })
  assert.equal(await live(), before)
}

/**
 * Removes generations that a pipeline still derives, so the pipeline must notice the removal and stop deriving them.
 */
async function removeGenerations(host: Host, { options }: TestingCluster, names: readonly string[]): Promise<void> {
  const known = await readGenerations(host.log, host.codec)
  const kept = new Set(Object.values(findGeneration(known, 'live').derivations))
  const own = names
    .flatMap((name) => Object.values(findGeneration(known, name).derivations))
    .filter((id) => !kept.has(id))
  const left = async () =>
    (await topicAndGroupNames(options.brokers)).filter((name) => own.some((id) => name.includes(id))).length
  const operations = generationOperations(host)
  for (const generation of names) await operations.retire(generation, 'retire')
  await operations.collect('list')
  assert.ok((await left()) >= own.length, 'a dry run removes nothing')
  await operations.collect('remove')
  assert.equal(await left(), 0)
}
