/**
 * A generation under kills, on any log. Its derivation beside the live one is killed at every named point, and its
 * removal, too. The same command resumes each time, and the live generation stays the same.
 */
import assert from 'node:assert/strict'
import { servingGeneration } from '@loomlog/generations/serving-generation'
import { readGenerations } from '@loomlog/generations/store'
import { configFrom } from '@loomlog/host/config'
import { openHost } from '@loomlog/host/open'
import { type CrashPoint, removalCrashPoints } from '@loomlog/log/crash-points'
import { dumpHash, type Fixture, ingestArgs } from './fixture.ts'
import { killAt, pointsInOrder } from './killed-ingest.ts'
import { loomlog } from './loomlog.ts'

/** A derivation appends no source events. Its few answers are soon recorded, so the points of answers come first. */
const derivingPoints = pointsInOrder
  .filter((point) => !point.startsWith('append.'))
  .toSorted((a, b) => Number(b.startsWith('answer.')) - Number(a.startsWith('answer.')))
/** A change that moves boxes and windows, so that answers are missing: those of the same windows are recorded. */
const change = [
  'topic-loom.maxUtterances=5',
  'fact-extractor.minWindowUtterances=12',
  'fact-extractor.maxWindowUtterances=16',
].flatMap((setting) => ['--set', setting])

/** @param names of all data in the log: topics, groups, their state */
export async function testKilledGeneration(
  made: Fixture,
  dir: string,
  names: () => Promise<readonly string[]> = () => namesIn(made, dir),
): Promise<void> {
  const killed = (point: CrashPoint, ...args: readonly string[]) =>
    killAt(point, 1, { args: [...args, '--dir', dir, '--json'], environment: made.environment })
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await loomlog([...args, '--dir', dir, '--json'], made.environment)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { generation: string; sha256: string }
  }
  const ingested = await loomlog(ingestArgs(made, dir), made.environment)
  assert.equal(ingested.code, 0, ingested.stderr)
  const live = await dumpHash(made, dir)

  for (const point of derivingPoints) await killed(point, 'generation', 'start', ...change, '--wait')
  const { generation } = await run('generation', 'start', ...change, '--wait')
  const derived = await run('dump', '--hash', '--generation', generation)
  const own = await derivationsOf(made, dir, generation)
  const left = async () => (await names()).filter((name) => own.some((id) => name.includes(id)))
  assert.ok((await left()).length >= own.length)

  await run('generation', 'retire', generation)
  for (const point of removalCrashPoints) await killed(point, 'generation', 'gc')
  await run('generation', 'gc')
  assert.deepEqual(await left(), [], 'nothing of it is left')
  assert.equal(await dumpHash(made, dir), live, 'the live generation is unchanged')
  await run('verify')

  await run('generation', 'start', ...change, '--wait')
  const again = await run('dump', '--hash', '--generation', generation)
  assert.equal(again.sha256, derived.sha256, 'killed at every point, it gave the dump of an undisturbed derivation')
}

/** The first stage's outputs change, so every stage has another derivation. */
async function derivationsOf({ environment }: Fixture, dir: string, id: string): Promise<readonly string[]> {
  const host = await openHost(configFrom({ ...environment, LOOMLOG_DIR: dir }))
  try {
    const generation = (await readGenerations(host.log, host.codec)).generations.get(id)
    assert.ok(generation)
    return servingGeneration(generation, host.topics).stages.map(({ derivation }) => derivation)
  } finally {
    await host.close()
  }
}

async function namesIn({ environment }: Fixture, dir: string): Promise<readonly string[]> {
  const host = await openHost(configFrom({ ...environment, LOOMLOG_DIR: dir }))
  try {
    const topics = (await host.log.topics()).map(({ name }) => name)
    return [...topics, ...(await host.log.groups()).map(({ group }) => group)]
  } finally {
    await host.close()
  }
}
