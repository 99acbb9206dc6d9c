/** `loomlog parked`: an input that a model refused waits for a retry, and is gone once the retry has succeeded. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fixture, ingestArgs } from '../pipeline/fixture.ts'
import { loomlog } from '../pipeline/loomlog.ts'

test('a retry that succeeds takes its input from the list and from the status', async (t) => {
  const made = await fixture(t, 8, { LOOMLOG_PARTITIONS: '1' })
  const dir = join(made.dir, 'log')
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await loomlog([...args, '--dir', dir, '--json'], made.environment)
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  }
  const list = async () => (await run('parked', 'list')) as readonly { readonly id: string; readonly stage: string }[]
  made.endpoint.setScript(Array.from({ length: 1_000 }, () => ({ fault: 'refusal' as const })))
  const ingest = () => loomlog(ingestArgs(made, dir), made.environment)
  assert.equal((await ingest()).code, 0)
  const waiting = (await list()).filter(({ stage }) => stage === 'fact-extractor')
  assert.ok(waiting.length > 0)
  assert.equal((await run('status')).parked, waiting.length)

  made.endpoint.setScript([])
  for (const { id } of waiting) await run('parked', 'retry', id)
  assert.equal((await ingest()).code, 0)
  const left = await list()
  assert.deepEqual(
    left.filter(({ stage }) => stage === 'fact-extractor'),
    [],
  )
  const status = await run('status')
  assert.deepEqual([status.parked, status.parkedByCode], [0, { unanswered: waiting.length + left.length }])
})
