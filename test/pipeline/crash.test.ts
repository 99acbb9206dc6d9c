/**
 * Effectively once: an ingest that is killed at every named crash point and at random moments gives the memory of an
 * undisturbed run.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { seededRandom, testSeed } from '../seeded-random.ts'
import { type Fixture, fixture, ingestAndHash, ingestArgs } from './fixture.ts'
import { killAfter, killAt, pointsInOrder } from './killed-ingest.ts'
import { testKilledPromotion } from './killed-promotion.ts'

const utterances = 40

describe('an ingest that is killed', () => {
  let made: Fixture
  let undisturbed: string
  const ends: (() => Promise<unknown>)[] = []
  before(async () => {
    made = await fixture({ after: (end) => ends.push(end) }, utterances)
    undisturbed = await ingestAndHash(made, join(made.dir, 'undisturbed'))
  })
  after(() => Promise.all(ends.map((end) => end())))

  test('killed at every named crash point, one after the other, the dump is that of an undisturbed run', async () => {
    const dir = join(made.dir, 'killed')
    const ingest = { args: ingestArgs(made, dir), environment: made.environment }
    for (const point of pointsInOrder) await killAt(point, 1, ingest)
    assert.equal(await ingestAndHash(made, dir), undisturbed)
  })

  test('killed at random moments, the dump is that of an undisturbed run', async (t) => {
    const seed = testSeed()
    t.diagnostic(`LOOMLOG_SEED=${seed}`)
    const random = seededRandom(seed)
    const dir = join(made.dir, 'killed-at-random')
    const ingest = { args: ingestArgs(made, dir), environment: made.environment }
    // The endpoint hangs during the first run, so that its kill comes while acknowledged events are derived.
    made.endpoint.setScript(Array.from({ length: 1_000 }, () => ({ fault: 'hang' as const })))
    const first = await killAfter(random() * 600, ingest, 'acknowledgement')
    assert.ok(first.outcome === 'killed' && first.acknowledged > 0, JSON.stringify(first))
    made.endpoint.setScript([])
    for (let kill = 0; kill < 2; kill += 1) await killAfter(random() * 600, ingest, 'acknowledgement')
    assert.equal(await ingestAndHash(made, dir), undisturbed)
  })
})

test('killed at every point of defining, starting and promoting a generation, the log stays consistent, and the next run completes it', async (t) => {
  const { dir, environment } = await fixture(t, 1)
  await testKilledPromotion({ ...environment, LOOMLOG_DIR: join(dir, 'moved') })
})
