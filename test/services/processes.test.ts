/** Services, each as a process of its own: they share the work on one log, report their health, and stop on SIGTERM. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { processorsOf } from '@loomlog/app/processors'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { eventually } from '../eventually.ts'
import { dumpHash, type Fixture, fixture, ingestArgs } from '../pipeline/fixture.ts'
import { type Environment, loomlog, startProgram } from '../pipeline/loomlog.ts'
import { appendUtterances } from './append-utterances.ts'
import { runService, type StartedService, startService, untilReady } from './service.ts'

const stages = processorsOf({ extensions: [] }).map(({ stage }) => stage)
const withPromises = { LOOMLOG_EXTENSIONS: join(import.meta.dirname, '../../examples/promises/extension.ts') }

test('the processors and a materializer, each in its process, derive the memory of a single process, and stop on SIGTERM', async (t) => {
  const made = await fixture(t, 30)
  const dir = join(made.dir, 'alone')
  const embedded = join(made.dir, 'embedded')
  const first = { ...made, file: join(made.dir, 'first.jsonl') }
  await writeFile(first.file, (await readFile(made.file, 'utf8')).split('\n').slice(0, 2).join('\n'))
  for (const each of [dir, embedded]) await run(ingestArgs(first, each), made)
  const services = await Promise.all([...stages, 'materializer'].map((name) => service(t, name, dir, made)))
  for (const each of services) await untilReady(each)
  await run(ingestArgs(made, dir), made)
  await run(ingestArgs(made, embedded), made)
  assert.equal(await dumpHash(made, dir), await dumpHash(made, embedded))
  for (const { process } of services) process.kill('SIGTERM')
  // A service that doesn't stop in time exits with 1.
  for (const { exit, output } of services) assert.equal(await exit, 0, output())
})

test('a service derives the first generation, and one that is started later, without a restart', async (t) => {
  const made = await fixture(t, 1)
  const dir = join(made.dir, 'log')
  const started = await service(t, 'topic-loom', dir, made)
  await eventually(async () => assert.match(await text(`${started.health}/readyz`), /no generation is live/))
  await run(ingestArgs(made, dir), made)
  await untilReady(started)
  await run(['generation', 'start', '--set', 'topic-loom.maxUtterances=2', '--dir', dir], made)
  const log = openSqliteLog({ dir })
  t.after(() => log.close())
  const ends = await log.endOffsets('utterances')
  await eventually(async () => {
    const held = (await log.groups()).filter(({ group, owner }) => group.startsWith('topic-loom') && owner !== null)
    const byGroup = Map.groupBy(held, ({ group }) => group)
    assert.equal(byGroup.size, 2, started.output())
    for (const partitions of byGroup.values()) {
      const positions = partitions.toSorted((a, b) => a.partition - b.partition).map(({ position }) => position)
      assert.deepEqual(positions, ends)
    }
  }, 60_000)
})

test('a service without a generation is alive and not ready, and a wrong setting is refused', async (t) => {
  const made = await fixture(t, 1)
  const waiting = await service(t, 'topic-loom', join(made.dir, 'empty'), made)
  await eventually(async () => assert.match(await text(`${waiting.health}/readyz`), /no generation is live/))
  assert.equal((await fetch(`${waiting.health}/readyz`)).status, 503)
  assert.equal((await fetch(`${waiting.health}/livez`)).status, 200)
  const wrong = { ...made, environment: { ...made.environment, LOOMLOG_LOG: 'paper' } }
  const refused = await service(t, 'gateway', join(made.dir, 'empty'), wrong)
  assert.equal(await refused.exit, 1)
  assert.match(refused.output(), /LOOMLOG_LOG is \\"paper\\": expected sqlite or kafka/)
  const open = { ...made, environment: { ...made.environment, LOOMLOG_HTTP_HOST: '0.0.0.0', LOOMLOG_HTTP_PORT: '0' } }
  const keyless = await service(t, 'gateway', join(made.dir, 'empty'), open)
  assert.equal(await keyless.exit, 1)
  assert.match(keyless.output(), /other machines can reach the address 0\.0\.0\.0, and there are no keys: make one/)
})

test('the stage of an extension runs as a service of its own', async (t) => {
  // By rules: the fake model has no answers for this stage.
  const made = await fixture(t, 4, { ...withPromises, LOOMLOG_MODEL: '' })
  const dir = join(made.dir, 'log')
  const services = await Promise.all(['topic-loom', 'promises'].map((name) => service(t, name, dir, made)))
  await run(['init', '--dir', dir], made)
  for (const each of services) await untilReady(each)
  await appendUtterances({ ...made.environment, LOOMLOG_DIR: dir }, ['The boat is sold.', 'My sister is in Porto.'])
  const log = openSqliteLog({ dir })
  t.after(() => log.close())
  await eventually(async () => {
    const own = (await log.groups()).filter(({ group }) => group.startsWith('promises.'))
    const [read = ''] = own.map(({ topic }) => topic)
    assert.deepEqual(
      own.map(({ position }) => position),
      await log.endOffsets(read),
    )
    assert.ok(own.some(({ owner, position }) => owner !== null && position > 0))
  }, 60_000)
})

test('a name of no service is refused with those that exist, extensions included', async () => {
  const started = (args: readonly string[], environment: Environment) =>
    startProgram(args, environment, runService).finished
  const [wrong, none, help] = await Promise.all([
    started(['topic-lom'], withPromises),
    started([], {}),
    started(['--help'], {}),
  ])
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /^run-service: NAME is "topic-lom": expected one of topic-loom, .*promises, .*gateway\n$/)
  assert.equal(none.code, 2)
  assert.match(none.stderr, /^run-service: NAME is "": expected one of topic-loom, /)
  assert.equal(help.code, 0)
  assert.match(help.stdout, /^usage: run-service\.ts NAME, one of topic-loom, .*gateway\n$/)
})

test('a module that is no extension is refused', async () => {
  const environment = { LOOMLOG_EXTENSIONS: 'missing.ts' }
  const { code, stderr } = await startProgram(['gateway'], environment, runService).finished
  assert.equal(code, 2)
  assert.match(stderr, /^run-service: LOOMLOG_EXTENSIONS names missing\.ts: it can't be imported: /)
})

function service(t: TestContext, name: string, dir: string, { environment }: Fixture): Promise<StartedService> {
  return startService(t, name, { ...environment, LOOMLOG_DIR: dir })
}

async function run(args: readonly string[], { environment }: Fixture): Promise<void> {
  const { code, stderr } = await loomlog(args, environment)
  assert.equal(code, 0, stderr)
}

async function text(url: string): Promise<string> {
  return (await fetch(url)).text()
}
