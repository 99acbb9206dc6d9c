/** `loomlog log copy`: the target has the same memory, under the same live generation. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fixture, ingestArgs } from '../pipeline/fixture.ts'
import { loomlog } from '../pipeline/loomlog.ts'

test('a copied log keeps its generations: the promoted one derives the same memory there, without a model call', async (t) => {
  const made = await fixture(t, 8, { LOOMLOG_PARTITIONS: '2' })
  const [dir, copy] = [join(made.dir, 'log'), join(made.dir, 'copy')]
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await loomlog([...args, '--json'], {
      ...made.environment,
      LOOMLOG_PARTITIONS: '3',
    })
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  }
  assert.equal((await loomlog(ingestArgs(made, dir), made.environment)).code, 0)
  const set = ['--set', 'topic-loom.maxUtterances=2', '--name', 'shorter', '--wait']
  const { generation } = await run('generation', 'start', ...set, '--dir', dir)
  await run('generation', 'promote', generation, '--dir', dir)
  const original = await run('dump', '--hash', '--dir', dir)

  made.endpoint.reset()
  const topics = await run('log', 'copy', '--from', `sqlite:${dir}`, '--to', `sqlite:${copy}`)
  const names = topics.map(({ topic }: { topic: string }) => topic)
  assert.deepEqual(names, [
    'utterances',
    'completions',
    'generations',
    'keys',
    'key-uses',
    'webhooks',
    'parked',
    'forgettings',
    'audit',
    'recalls',
  ])
  await run(...ingestArgs(made, copy))
  assert.equal((await run('status', '--dir', copy)).generation, generation)
  assert.deepEqual(await run('dump', '--hash', '--dir', copy), original)
  assert.equal(made.endpoint.calls().chat, 0)
  const again = await run('log', 'copy', '--from', `sqlite:${dir}`, '--to', `sqlite:${copy}`)
  assert.deepEqual(
    again.map(({ records, before }: { records: number; before: number }) => records - before),
    names.map(() => 0),
  )
})
