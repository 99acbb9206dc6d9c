/**
 * A newer version of loomlog on Kafka: the older image keeps running until the new version's derivation has caught up
 * and is promoted.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { liveGeneration } from '@loomlog/generations/pointers'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import type { Host } from '@loomlog/host/open'
import { skipReason, type TestingCluster, testingCluster } from '@loomlog/kafka-local/testing-cluster'
import { canonicalDump, dumpText } from '../../packages/app/derived-events.ts'
import { fixture, ingestArgs } from '../pipeline/fixture.ts'
import { loomlog } from '../pipeline/loomlog.ts'
import { createOldLog, startOldImage } from '../pipeline/older-version.ts'
import { withKafkaLog } from './kafka-log.ts'

const skip = (await skipReason()) ?? false
const patient = { timeout: 300_000 }

describe('a newer version on Kafka', { skip, ...patient }, () => {
  let cluster: TestingCluster
  before(async () => {
    cluster = await testingCluster()
  })
  after(() => cluster.stop())

  test('is derived beside the live generation, which the older image continues to derive', patient, async (t) => {
    const byRules = { LOOMLOG_MODEL: '', LOOMLOG_EMBEDDER: 'words', LOOMLOG_PARTITIONS: '1' }
    const { environment, ...rest } = withKafkaLog(await fixture(t, 6, byRules), cluster, 'upgraded')
    // A long session: no process is killed, and a busy machine would end a short one.
    const settings = { LOOMLOG_VIEWS: join(rest.dir, 'views'), LOOMLOG_SESSION_MS: '10000' }
    const made = { ...rest, environment: { ...environment, ...settings } }
    const ofOld = { ...made.environment, LOOMLOG_DIR: join(made.dir, 'old') }
    const older = await createOldLog(ofOld)
    const errors: unknown[] = []
    const image = await startOldImage(ofOld, (error) => errors.push(error))
    t.after(() => image.close())
    const run = await loomlog(ingestArgs(made, join(made.dir, 'new')), made.environment)
    assert.equal(run.code, 0, run.stderr)
    assert.match(run.stderr, /frozen: topic-loom is derived by revision/)
    assert.match(run.stderr, /a newer version is installed: generation \w+ is derived beside the live one/)
    const live = liveGeneration(await readGenerations(image.host.log, image.host.codec), null)?.generation ?? ''
    assert.notEqual(live, older)
    const derivedByBoth = async () => {
      const wanted = await dumpOf(image.host, live)
      const late = AbortSignal.timeout(60_000)
      while ((await dumpOf(image.host, older)).length < wanted.length && !late.aborted) await sleep(200)
      assert.deepEqual(await dumpOf(image.host, older), wanted, 'the older generation has the same events')
      return wanted.length
    }
    const before = await derivedByBoth()
    const said = {
      id: 'after',
      conversation: 'c9',
      speaker: 'Ada',
      at: '2026-02-01T09:00:00Z',
      text: 'I sold the boat.',
    }
    const file = join(made.dir, 'after.jsonl')
    await writeFile(file, JSON.stringify(said))
    const again = await loomlog(ingestArgs({ ...made, file }, join(made.dir, 'new')), made.environment)
    assert.equal(again.code, 0, again.stderr)
    assert.ok((await derivedByBoth()) > before, 'later utterances are derived, too')
    assert.deepEqual(errors, [])
  })
})

/** The dump of a generation, without the ids of its derivations. */
async function dumpOf(host: Host, id: string): Promise<readonly string[]> {
  const generation = (await readGenerations(host.log, host.codec)).generations.get(id)
  if (!generation) throw new Error(`there is no generation ${id}`)
  const lines = (await canonicalDump(host, servingGeneration(generation, host.topics))).map(dumpText)
  return lines.map((line) => line.replace(/"derivation":"\w+"/, ''))
}
