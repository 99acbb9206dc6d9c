/** Health endpoints and logs of services: both show that a process does not do its work, and why. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../eventually.ts'
import { type Fixture, fixture, ingestArgs } from '../pipeline/fixture.ts'
import { type Environment, loomlog } from '../pipeline/loomlog.ts'
import { appendUtterances } from './append-utterances.ts'
import { startService, untilHealth, untilReady } from './service.ts'

test('a stage whose recipe is not available here is frozen: not ready, with the reason in the log as well', async (t) => {
  const made = await fixture(t, 2)
  const environment = await ingestFixture(made)
  const started = await startService(t, 'topic-loom', { ...environment, LOOMLOG_EMBEDDER: 'words' })
  await untilHealth(started, '/readyz', 503, /^frozen: topic-loom is derived with the embedder openai:fake-embedder-16/)
  await untilHealth(started, '/livez', 200, /^ok$/)
  await eventually(() => assert.match(started.output(), /"msg":"frozen: topic-loom is derived with the embedder/))
})

test('a materializer without the embedder of the views is not ready, with the reason', async (t) => {
  const made = await fixture(t, 2)
  const environment = await ingestFixture(made)
  const started = await startService(t, 'materializer', { ...environment, LOOMLOG_EMBEDDER: 'words' })
  await untilHealth(started, '/readyz', 503, /^frozen: the views are made with the embedder openai:fake-embedder-16/)
})

test('a service whose handler hangs is not alive after the stall limit, and names its partition and position', async (t) => {
  const made = await fixture(t, 2)
  const environment = await ingestFixture(made)
  const started = await startService(t, 'topic-loom', { ...environment, LOOMLOG_STALL_MS: '1500' })
  await untilReady(started)
  made.endpoint.setScript(Array.from({ length: 50 }, () => ({ fault: 'hang' })))
  await appendUtterances(environment, ['The boat is sold.', 'My sister is in Porto.', 'I adopted a dog.'])
  await untilHealth(
    started,
    '/livez',
    503,
    /^stalled: topic-loom\.\w+ is at \d+ of \d+ in partition \d+ of utterances, behind for/,
  )
  await untilHealth(started, '/readyz', 503, /^stalled: /)
  made.endpoint.setScript([])
})

test('an endpoint that refuses pauses a stage: one log line with the reason, one when it continues, and /livez stays 200', async (t) => {
  const made = await fixture(t, 2)
  const environment = await ingestFixture(made)
  const started = await startService(t, 'topic-loom', { ...environment, LOOMLOG_STALL_MS: '1000' })
  await untilReady(started)
  const refusals = Array.from({ length: 4 }, () => ({ fault: 'status', status: 401, message: 'wrong key' }) as const)
  made.endpoint.setScript(refusals)
  await appendUtterances(environment, ['The boat is sold.'])
  await eventually(() => assert.match(started.output(), /"msg":"topic-loom waits: [^"]*401 wrong key/))
  await untilHealth(started, '/livez', 200, /^ok$/)
  await eventually(() => assert.match(started.output(), /"msg":"topic-loom continues after \d/))
  assert.equal(started.output().match(/topic-loom waits/g)?.length, 1, started.output())
  assert.doesNotMatch(started.output(), /"stack"/)
})

async function ingestFixture(made: Fixture): Promise<Environment> {
  const dir = join(made.dir, 'log')
  const { code, stderr } = await loomlog(ingestArgs(made, dir), made.environment)
  assert.equal(code, 0, stderr)
  return { ...made.environment, LOOMLOG_DIR: dir }
}
