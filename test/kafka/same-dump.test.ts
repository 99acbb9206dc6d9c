/**
 * The pipeline on Kafka makes the same memory as on the embedded log, undisturbed or killed in the middle of its
 * commits.
 */
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { skipReason, type TestingCluster, testingCluster } from '@loomlog/kafka-local/testing-cluster'
import { invertVectors } from '../../packages/views/lancedb/invert-vectors.ts'
import { type Fixture, fixture, ingestAndHash, ingestArgs } from '../pipeline/fixture.ts'
import { killAt } from '../pipeline/killed-ingest.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import { withKafkaLog } from './kafka-log.ts'

const skip = (await skipReason()) ?? false
/**
 * Skips the commits that take leases at the start, so that the kill is in a commit with outputs, state and a position.
 */
const pass = 12
const points = ['commit.before-position', 'commit.before-end', 'commit.after-end'] as const

/** The test waits for events, which take long on a busy machine. */
const patient = { timeout: 600_000 }

describe('the pipeline on Kafka', { skip, ...patient }, () => {
  let cluster: TestingCluster
  before(async () => {
    cluster = await testingCluster()
  })
  after(() => cluster.stop())

  test('gives the dump of the embedded log when it is killed within three commits, each with new utterances', async (t) => {
    const made = await fixture(t, 24, { LOOMLOG_PARTITIONS: '1' })
    const onBroker = withKafkaLog(made, cluster, 'killed')
    const [embedded, killed] = [join(made.dir, 'embedded'), join(made.dir, 'killed')]
    let expected = ''
    for (const [at, point] of points.entries()) {
      const file = await beginning(made, 8 * (at + 1))
      expected = await ingestAndHash({ ...made, file }, embedded)
      const args = ingestArgs({ ...made, file }, killed)
      await killAt(point, pass, { args, environment: onBroker.environment })
    }
    assert.equal(await ingestAndHash(onBroker, killed), expected)
  })

  test('gives the dump of the embedded log from a copy of it, without calling a model', async (t) => {
    const made = await fixture(t, 12, { LOOMLOG_PARTITIONS: '2', LOOMLOG_EMBEDDER: 'words' })
    const dir = join(made.dir, 'embedded')
    const embedded = await ingestAndHash(made, dir)
    const copied = withKafkaLog(made, cluster, 'copied')
    const to = `kafka:${cluster.options.brokers.join(',')}`
    const copy = await loomlog(['log', 'copy', '--from', `sqlite:${dir}`, '--to', to], copied.environment)
    assert.equal(copy.code, 0, copy.stderr)
    made.endpoint.reset()
    made.endpoint.setMode('forbid')
    assert.equal(await ingestAndHash(copied, join(made.dir, 'kafka')), embedded)
    assert.equal(made.endpoint.calls().total, 0)
  })

  test('finds inverted vectors of a view, and rebuilds it', async (t) => {
    const made = await fixture(t, 12, { LOOMLOG_PARTITIONS: '1', LOOMLOG_EMBEDDER: 'words' })
    const onBroker = withKafkaLog(made, cluster, 'damaged')
    const dir = join(made.dir, 'damaged')
    await ingestAndHash(onBroker, dir)
    const shard = (await readdir(dir, { recursive: true })).find((name) => name.endsWith('/facts.lance'))
    assert.ok((await invertVectors(join(dir, shard ?? ''), 'facts')) > 0)
    const found = await loomlog(['verify', '--dir', dir], onBroker.environment)
    assert.equal(found.code, 1, found.stderr)
    assert.match(found.stdout, /facts p0: .*vector.*checksum/)
    const repaired = await loomlog(['verify', '--repair', '--dir', dir], onBroker.environment)
    assert.equal(repaired.code, 0, repaired.stdout + repaired.stderr)
  })
})

/** A file with the first lines of the conversation. */
async function beginning({ dir, file }: Fixture, lines: number): Promise<string> {
  const path = join(dir, `first-${lines}.jsonl`)
  await writeFile(path, (await readFile(file, 'utf8')).split('\n').slice(0, lines).join('\n'))
  return path
}
