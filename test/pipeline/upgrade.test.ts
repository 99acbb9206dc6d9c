/** A newer version of loomlog on an older log: it upgrades without a command if that calls no model. */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { copyLogOnly, dumpHash, type Fixture, fixture, ingestAndHash, ingestArgs } from './fixture.ts'
import { loomlog } from './loomlog.ts'
import { createOldLog } from './older-version.ts'

function inLog({ dir, environment }: Fixture) {
  return { ...environment, LOOMLOG_DIR: join(dir, 'log') }
}

async function ran(made: Fixture, ...args: readonly string[]) {
  const run = await loomlog([...args, '--json', '--dir', join(made.dir, 'log')], made.environment)
  assert.equal(run.code, 0, run.stderr)
  return { stderr: run.stderr, result: JSON.parse(run.stdout) }
}

test('a newer version without a model is derived beside the live one, and promoted when it has caught up, once', async (t) => {
  const made = await fixture(t, 6, { LOOMLOG_MODEL: '', LOOMLOG_EMBEDDER: 'words' })
  const older = await createOldLog(inLog(made))
  const run = await loomlog(ingestArgs(made, join(made.dir, 'log')), made.environment)
  assert.equal(run.code, 0, run.stderr)
  assert.match(run.stderr, /frozen: topic-loom is derived by revision/)
  assert.match(run.stderr, /a newer version is installed: generation \w+ is derived beside/)
  const { live } = (await ran(made, 'generation', 'list')).result
  assert.notEqual(live, older)
  const { history } = (await ran(made, 'generation', 'show', live)).result
  assert.deepEqual(
    history.map(({ event }: { event: { cause?: string } }) => event.cause),
    [undefined, 'upgraded'],
  )
  assert.ok((await ran(made, 'dump', '--hash')).result.lines > 0)

  assert.equal((await ran(made, 'generation', 'rollback', '--anyway')).result.generation, older)
  const again = await loomlog(ingestArgs(made, join(made.dir, 'log')), made.environment)
  assert.match(again.stderr, /which was rolled back: loomlog generation promote/)
  assert.equal((await ran(made, 'generation', 'list')).result.live, older, 'the rollback stays in effect')
})

test('a newer version with a model leaves the live generation alone, and new utterances are found by their words', async (t) => {
  const made = await fixture(t, 6)
  const older = await createOldLog(inLog(made))
  const run = await loomlog(ingestArgs(made, join(made.dir, 'log')), made.environment)
  assert.equal(run.code, 0, run.stderr)
  assert.match(
    run.stderr,
    /It needs a command, since topic-loom would ask openai:fake-embedder-16: loomlog generation start/,
  )
  assert.equal(made.endpoint.calls().chat, 0)
  const before = (await ran(made, 'recall', 'adopted a cat')).result
  assert.deepEqual([before.generation, before.memories[0]?.kind], [older, 'utterance'])
  const { result: status } = await ran(made, 'status')
  assert.match(status.stages[0].frozen, /revision/)
  const { generation } = (await ran(made, 'generation', 'start', '--wait')).result
  await ran(made, 'generation', 'promote', generation)
  assert.ok(made.endpoint.calls().chat > 0)
  assert.equal((await ran(made, 'recall', 'adopted a cat')).result.generation, generation)
})

test('a newer version with a model upgrades without a command if every answer is recorded', async (t) => {
  const made = await fixture(t, 6, { LOOMLOG_EMBEDDER: 'words' })
  const recorded = join(made.dir, 'recorded')
  const hash = await ingestAndHash(made, recorded)
  const folder = join(made.dir, 'log')
  await mkdir(folder)
  await copyLogOnly(recorded, folder)
  const log = openSqliteLog({ dir: folder })
  await log.deleteTopic('generations')
  await log.close()
  const older = await createOldLog(inLog(made))
  made.endpoint.setMode('forbid')
  const run = await loomlog(ingestArgs(made, folder), made.environment)
  assert.equal(run.code, 0, run.stderr)
  assert.match(run.stderr, /a newer version is installed: generation \w+ is derived beside/)
  const { live } = (await ran(made, 'generation', 'list')).result
  assert.notEqual(live, older)
  assert.equal(await dumpHash(made, folder), hash)
})
