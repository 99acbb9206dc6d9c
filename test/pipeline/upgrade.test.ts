/** A newer version of loomlog on a log that an older one made: by itself where nobody is asked, and otherwise on command. */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { derived, dumpHash, type Fixture, fixture, ingestArgs, onlyTheLog } from './fixture.ts'
import { loomlog } from './loomlog.ts'
import { oldLog } from './older.ts'

function inLog({ dir, environment }: Fixture) {
  return { ...environment, LOOMLOG_DIR: join(dir, 'log') }
}

async function ran(made: Fixture, ...args: readonly string[]) {
  const run = await loomlog([...args, '--json', '--dir', join(made.dir, 'log')], made.environment)
  assert.equal(run.code, 0, run.stderr)
  return { said: run.stderr, told: JSON.parse(run.stdout) }
}

test('a newer version that asks nobody is derived beside what is live, and promoted when it has caught up, once', async (t) => {
  const made = await fixture(t, 6, { LOOMLOG_MODEL: '', LOOMLOG_EMBEDDER: 'use-lite' })
  const older = await oldLog(inLog(made))
  const run = await loomlog(ingestArgs(made, join(made.dir, 'log')), made.environment)
  assert.equal(run.code, 0, run.stderr)
  assert.match(run.stderr, /frozen: topic-loom is derived by revision/)
  assert.match(run.stderr, /a newer version is installed: generation \w+ is derived beside/)
  const { live } = (await ran(made, 'generation', 'list')).told
  assert.notEqual(live, older)
  const { history } = (await ran(made, 'generation', 'show', live)).told
  assert.deepEqual(
    history.map(({ event }: { event: { cause?: string } }) => event.cause),
    [undefined, 'upgraded'],
  )
  assert.ok((await ran(made, 'dump', '--hash')).told.lines > 0)

  assert.equal((await ran(made, 'generation', 'rollback', '--anyway')).told.generation, older)
  const again = await loomlog(ingestArgs(made, join(made.dir, 'log')), made.environment)
  assert.match(again.stderr, /which was rolled back: loomlog generation promote/)
  assert.equal((await ran(made, 'generation', 'list')).told.live, older, 'who went back stays there')
})

test('a newer version that would ask a model leaves what is live as it is, and what is said is found by its words', async (t) => {
  const made = await fixture(t, 6)
  const older = await oldLog(inLog(made))
  const run = await loomlog(ingestArgs(made, join(made.dir, 'log')), made.environment)
  assert.equal(run.code, 0, run.stderr)
  assert.match(run.stderr, /It needs a command, since topic-loom would ask openai:fake-model: loomlog generation start/)
  assert.equal(made.endpoint.calls().chat, 0)
  const before = (await ran(made, 'recall', 'adopted a cat')).told
  assert.deepEqual([before.generation, before.memories[0]?.kind], [older, 'utterance'])
  const { told: status } = await ran(made, 'status')
  assert.match(status.stages[0].frozen, /revision/)
  const { generation } = (await ran(made, 'generation', 'start', '--wait')).told
  await ran(made, 'generation', 'promote', generation)
  assert.ok(made.endpoint.calls().chat > 0)
  assert.equal((await ran(made, 'recall', 'adopted a cat')).told.generation, generation)
})

test('a newer version that has a model asks nobody where every answer is recorded, and then it is followed by itself', async (t) => {
  const made = await fixture(t, 6, { LOOMLOG_EMBEDDER: 'use-lite' })
  const recorded = join(made.dir, 'recorded')
  const hash = await derived(made, recorded)
  const folder = join(made.dir, 'log')
  await mkdir(folder)
  await onlyTheLog(recorded, folder)
  const log = openSqliteLog({ dir: folder })
  await log.deleteTopic('generations')
  await log.close()
  const older = await oldLog(inLog(made))
  made.endpoint.setMode('forbid')
  const run = await loomlog(ingestArgs(made, folder), made.environment)
  assert.equal(run.code, 0, run.stderr)
  assert.match(run.stderr, /a newer version is installed: generation \w+ is derived beside/)
  const { live } = (await ran(made, 'generation', 'list')).told
  assert.notEqual(live, older)
  assert.equal(await dumpHash(made, folder), hash)
})
