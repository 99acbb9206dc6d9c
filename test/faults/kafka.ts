/**
 * The campaign of kills on Kafka: `npm run test:faults:kafka -- --json FILE`. A conversation grows slice by slice on one set of topics; at
 * each slice the ingest is killed (SIGKILL) at one named crash point, then run to its end; after them come kills at random
 * moments. The memory must be the one that an undisturbed run on the embedded log makes of the same slices.
 */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseArgs } from 'node:util'
import { testingCluster, whySkipped } from '@loomlog/kafka-local/testing-cluster'
import { type CrashPoint, crashPoints } from '@loomlog/log/crash-points'
import { onKafka } from '../kafka/on-kafka.ts'
import { derived, dumpHash, type Fixture, fixture } from '../pipeline/fixture.ts'
import { dieAt, killAfter } from '../pipeline/interrupted.ts'
import { seeded } from '../seeded.ts'

interface Kill {
  readonly at: CrashPoint | 'random'
  readonly pass: number
  readonly seconds: number
}

const { values } = parseArgs({ options: { json: { type: 'string' }, seed: { type: 'string' } } })
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const randomKills = 6
const sliceUtterances = 12

/** A first pass of a commit's points lies in the taking of a lease; later ones are commits with outputs. */
const planned: readonly (readonly [point: CrashPoint, pass: number])[] = crashPoints.flatMap((point) =>
  point.startsWith('commit.') ? [[point, 1] as const, [point, 12] as const] : [[point, 1] as const],
)

const skip = (await whySkipped()) ?? false

test('killed at every named crash point and at random moments, the memory is the undisturbed one', {
  skip,
}, async (t) => {
  t.diagnostic(`--seed ${seed}`)
  const cluster = await testingCluster()
  t.after(() => cluster.stop())
  const slices = planned.length + randomKills
  const made = await fixture(t, slices * sliceUtterances, { LOOMLOG_PARTITIONS: '1' })
  const files = await sliced(made, slices)
  const embedded = { ...made, dir: join(made.dir, 'embedded') }
  const killed = { ...onKafka(made, cluster, 'campaign'), dir: join(made.dir, 'kafka') }
  const random = seeded(seed)
  const kills: Kill[] = []
  for (const [slice, file] of files.entries()) {
    await derived({ ...embedded, file }, embedded.dir)
    const startedAt = performance.now()
    const ingest = { args: ['ingest', file, '--dir', killed.dir, '--json'], environment: killed.environment }
    const [at, pass] = planned[slice] ?? (['random', 1] as const)
    if (at === 'random') await killAfter(1_500 + random() * 4_000, ingest)
    else await dieAt(at, pass, ingest)
    await derived({ ...killed, file }, killed.dir)
    const seconds = (performance.now() - startedAt) / 1_000
    kills.push({ at, pass, seconds })
    t.diagnostic(`${at}:${pass}, and done again after ${seconds.toFixed(1)} s`)
  }
  const dumps = { embedded: await dumpHash(embedded, embedded.dir), kafka: await dumpHash(killed, killed.dir) }
  if (values.json) await writeFile(values.json, JSON.stringify({ kafka: { seed, kills, dumps } }, null, 2))
  assert.equal(dumps.kafka, dumps.embedded)
})

/** Files that hold ever more of the conversation. */
async function sliced({ dir, file }: Fixture, slices: number): Promise<readonly string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n')
  return Promise.all(
    Array.from({ length: slices }, async (_, slice) => {
      const name = join(dir, `slice-${slice}.jsonl`)
      await writeFile(name, lines.slice(0, (slice + 1) * sliceUtterances).join('\n'))
      return name
    }),
  )
}
