import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Generation } from '@loomlog/generations/generations'
import { readGenerations } from '@loomlog/generations/store'
import { openSqliteLog } from '@loomlog/log/sqlite'
import { Codec } from '@loomlog/schemas/codec'
import { eventually } from '../../test/eventually.ts'
import { partsWithoutServer } from './parts-without-server.ts'

/** A command with a part of its own and the feed's part, which is always live. Only `groupsAfter` moves its clock. */
async function command(t: TestContext, session: { readonly sessionMs?: number }) {
  const dir = await mkdtemp(join(tmpdir(), 'loomlog-alone-'))
  const log = openSqliteLog({ dir })
  for (const name of ['generations', 'memory-events']) await log.createTopic({ name, partitions: 2, retentionMs: null })
  const known = await readGenerations(log, await Codec.open(log.schemas))
  t.after(async () => {
    await log.close()
    await rm(dir, { recursive: true })
  })
  let clock = 0
  const part = (group: string) => ({ group, start: () => assert.fail('nothing is started here') })
  const host = { log, tables: [], topics: [], config: { session } }
  const partsOf = partsWithoutServer(
    host,
    'new',
    async () => [part('publisher'), part('own')],
    () => clock,
  )
  const groupsAfter = async (ms: number) => {
    clock += ms
    return (await partsOf(known, { id: 'new' } as Generation)).map(({ group }) => group)
  }
  /** A process that holds partitions of the live group. */
  const process = () => {
    const onLease = (lease: { readonly signal: AbortSignal }) =>
      new Promise<void>((resolve) => lease.signal.addEventListener('abort', () => resolve(), { once: true }))
    return log.join({ group: 'publisher', topic: 'memory-events', onLease, onError: assert.fail })
  }
  return { groupsAfter, process }
}

test('a live group is joined after a whole session without an owner', async (t) => {
  const { groupsAfter } = await command(t, { sessionMs: 700 })
  assert.deepEqual(await groupsAfter(0), ['own'])
  assert.deepEqual(await groupsAfter(699), ['own'])
  assert.deepEqual(await groupsAfter(1), ['publisher', 'own'])
  assert.deepEqual(await groupsAfter(0), ['publisher', 'own'])
})

test('without a configured session, the wait is the longest default of a log', async (t) => {
  const { groupsAfter } = await command(t, {})
  assert.deepEqual([await groupsAfter(0), await groupsAfter(9_999)], [['own'], ['own']])
  assert.deepEqual(await groupsAfter(1), ['publisher', 'own'])
})

test('a server that restarts keeps its group: its absence counts from the first look that misses it', async (t) => {
  const { groupsAfter, process } = await command(t, { sessionMs: 700 })
  assert.deepEqual(await groupsAfter(0), ['own'])
  const server = await process()
  assert.deepEqual(await groupsAfter(100_000), ['own'])
  await server.close()
  assert.deepEqual([await groupsAfter(100_000), await groupsAfter(699)], [['own'], ['own']])
  assert.deepEqual(await groupsAfter(1), ['publisher', 'own'])
})

test('the command leaves a live group that a server joins, and joins it again a session after the server left', async (t) => {
  const { groupsAfter, process } = await command(t, { sessionMs: 700 })
  await groupsAfter(0)
  assert.deepEqual(await groupsAfter(700), ['publisher', 'own'])
  const own = await process()
  assert.deepEqual(await groupsAfter(0), ['publisher', 'own'], 'it is itself an owner')
  const server = await process()
  await eventually(async () => assert.deepEqual([own.heldPartitions.length, server.heldPartitions.length], [1, 1]))
  assert.deepEqual(await groupsAfter(0), ['own'])
  await own.close()
  await server.close()
  assert.deepEqual([await groupsAfter(0), await groupsAfter(699)], [['own'], ['own']])
  assert.deepEqual(await groupsAfter(1), ['publisher', 'own'])
})
