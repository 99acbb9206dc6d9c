/**
 * A rolling upgrade of services, without a command: a raised revision is derived beside the live generation and
 * promoted.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { processorsOf } from '@loomlog/app/processors'
import { liveGeneration } from '@loomlog/generations/pointers'
import { readGenerations } from '@loomlog/generations/store'
import { configFrom } from '@loomlog/host/config'
import { openLog } from '@loomlog/host/open-log'
import { Codec } from '@loomlog/schemas/codec'
import { fixture } from '../pipeline/fixture.ts'
import { createOldLog } from '../pipeline/older-version.ts'
import { appendUtterances } from './append-utterances.ts'
import { type StartedService, startService, untilReady } from './service.ts'

const names = [...processorsOf({ extensions: [] }).map(({ stage }) => stage), 'materializer']

test('services of a newer version define the successor, derive it, promote it once, and become ready', async (t) => {
  const made = await fixture(t, 1, { LOOMLOG_MODEL: '', LOOMLOG_EMBEDDER: 'words', LOOMLOG_PARTITIONS: '1' })
  const environment = { ...made.environment, LOOMLOG_DIR: join(made.dir, 'log') }
  const older = await createOldLog(environment)
  await appendUtterances(environment, ['I live in Lisbon.', 'I moved to Porto yesterday.'])
  const services = await Promise.all(names.map((name) => startService(t, name, environment)))
  for (const service of services) await untilReady(service)
  const log = await openLog(configFrom(environment))
  t.after(() => log.close())
  const known = await readGenerations(log, await Codec.open(log.schemas))
  const live = liveGeneration(known, null)?.generation
  assert.notEqual(live, older)
  const promotions = known.history.flatMap(({ event, refused }) =>
    event.type === 'GenerationPromoted' ? [{ cause: event.cause, generation: event.generation, refused }] : [],
  )
  assert.deepEqual(promotions, [
    { cause: 'first', generation: older, refused: null },
    { cause: 'upgraded', generation: live, refused: null },
  ])
  const starts = known.history.filter(
    ({ event, refused }) =>
      event.type === 'GenerationStatusChanged' && event.status === 'running' && event.generation === live && !refused,
  )
  assert.equal(starts.length, 1)
  assert.match(services.map((service) => service.output()).join(''), /frozen: topic-loom is derived by revision/)
  // The lease of upgrades moves while services join, so several of them may lead the same upgrade.
  const reports = services.map(reportedGenerations)
  assert.deepEqual([...new Set(reports.flat())], [live])
  for (const own of reports) assert.ok(own.length <= 1, `one service reports it ${own.length} times`)
})

/** The generations that this service has reported as those of the newer version. */
function reportedGenerations(service: StartedService): readonly string[] {
  const lines = service.output().matchAll(/a newer version is installed: generation (\w+)/g)
  return [...lines].map(([, generation = '']) => generation)
}
